<#
.SYNOPSIS
    Collects what rocmdoctor needs to know about AMD GPUs on this Windows PC, into one JSON file.

.DESCRIPTION
    For Windows PowerShell 5.1 (part of Windows 10 and 11) and newer. It only reads: registry, WMI, event logs, names and versions of
    files, and the ends of the logs of Ollama, LM Studio and Lemonade. It changes nothing, needs no administrator and no network.
    The file holds your user name where it is part of a path. `rocmdoctor redact` takes such things out; read it before you share it.

    Read it anywhere with:  rocmdoctor explain rocmdoctor-windows.json

.PARAMETER Out
    Where the file is written. Default: rocmdoctor-windows.json on the desktop.

.EXAMPLE
    powershell -NoProfile -ExecutionPolicy Bypass -File collect.ps1
#>
[CmdletBinding()]
param(
    [string]$Out = (Join-Path ([Environment]::GetFolderPath('Desktop')) 'rocmdoctor-windows.json')
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'SilentlyContinue'
$Days = 14
$LogBytes = 262144

$Display = 'HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}'
$Components = 'HKLM\SYSTEM\CurrentControlSet\Control\Class\{5c4c3332-344d-483c-8739-259e934c9cc8}'
$Control = 'HKLM\SYSTEM\CurrentControlSet\Control'
# Keys with the names of the values that are read; none: all of them.
$Keys = @(
    @{ Path = 'HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion'; Names = @('ProductName', 'CurrentBuildNumber', 'DisplayVersion', 'UBR') },
    @{ Path = 'HKLM\HARDWARE\DESCRIPTION\System\BIOS'; Names = @('SystemManufacturer', 'SystemProductName', 'BaseBoardManufacturer', 'BaseBoardProduct', 'BIOSVersion', 'BIOSReleaseDate') },
    @{ Path = 'HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0'; Names = @('ProcessorNameString') },
    @{ Path = "$Control\SecureBoot\State"; Names = @('UEFISecureBootEnabled') },
    @{ Path = "$Control\Session Manager\Power"; Names = @('HiberbootEnabled') },
    @{ Path = "$Control\Session Manager\Memory Management"; Names = @('PagingFiles') },
    @{ Path = "$Control\FileSystem"; Names = @('LongPathsEnabled') },
    @{ Path = "$Control\CI\Policy"; Names = @('VerifiedAndReputablePolicyState') },
    @{ Path = "$Control\DeviceGuard\Scenarios\HypervisorEnforcedCodeIntegrity"; Names = @('Enabled') },
    @{ Path = "$Control\Power\User\PowerSchemes"; Names = @('ActivePowerScheme') },
    @{ Path = "$Control\GraphicsDrivers"; Names = @('HwSchMode', 'TdrLevel', 'TdrDelay', 'TdrDdiDelay') },
    @{ Path = 'HKLM\SOFTWARE\Microsoft\Windows\Dwm'; Names = @('OverlayTestMode') },
    @{ Path = 'HKLM\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate'; Names = @('ExcludeWUDriversInQualityUpdate') },
    @{ Path = 'HKLM\SOFTWARE\AMD\CN'; Names = @('RadeonSoftwareVersion') },
    @{ Path = 'HKLM\SOFTWARE\Khronos\Vulkan\Drivers'; Names = @() },
    @{ Path = 'HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers'; Names = @() },
    @{ Path = 'HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers'; Names = @() },
    @{ Path = 'HKLM\SOFTWARE\Khronos\OpenCL\Vendors'; Names = @() },
    @{ Path = 'HKCU\Volatile Environment'; Names = @('USERPROFILE', 'LOCALAPPDATA', 'APPDATA') }
)
# Variables that change what a GPU stack does; others are not read.
$Variables = '^(Path|HIP_|HSA_|ROC|GPU_|GGML_|OLLAMA_|AMD_|MIOPEN_|PYTORCH_|TORCH_|VK_|CUDA_VISIBLE|HIPBLAS|GPU_TARGETS|FLASH_ATTENTION|DISABLE_LAYER|DEBUG_CLR_)'

# Everything is written as regedit would export it, so that one reader serves both.
$Registry = New-Object System.Text.StringBuilder
[void]$Registry.AppendLine('Windows Registry Editor Version 5.00')

function Get-Long([string]$Path) {
    return ($Path -replace '^HKLM\\', 'HKEY_LOCAL_MACHINE\' -replace '^HKCU\\', 'HKEY_CURRENT_USER\')
}

function Get-Key([string]$Path) {
    $hive = [Microsoft.Win32.RegistryHive]::LocalMachine
    if ($Path -like 'HKCU\*') { $hive = [Microsoft.Win32.RegistryHive]::CurrentUser }
    try { return [Microsoft.Win32.RegistryKey]::OpenBaseKey($hive, [Microsoft.Win32.RegistryView]::Registry64).OpenSubKey($Path.Substring(5), $false) } catch { return $null }
}

function Get-Below([string]$Path) {
    $key = Get-Key $Path
    if ($null -eq $key) { return @() }
    try { return @($key.GetSubKeyNames()) } catch { return @() }
}

function ConvertTo-Hex([byte[]]$Bytes) {
    return ((@($Bytes) | ForEach-Object { $_.ToString('x2') }) -join ',')
}

function ConvertTo-Written($Value, [string]$Kind) {
    switch ($Kind) {
        'DWord' { return 'dword:{0:x8}' -f [int]$Value }
        'QWord' { return 'hex(b):' + (ConvertTo-Hex ([BitConverter]::GetBytes([int64]$Value))) }
        'Binary' { return 'hex:' + (ConvertTo-Hex $Value) }
        'MultiString' { return 'hex(7):' + (ConvertTo-Hex ([Text.Encoding]::Unicode.GetBytes((@($Value) -join "`0") + "`0`0"))) }
        default { return '"' + ([string]$Value).Replace('\', '\\').Replace('"', '\"').Replace("`r", '').Replace("`n", ' ') + '"' }
    }
}

function Add-Key([string]$Path, [string[]]$Names, [string]$Like) {
    $key = Get-Key $Path
    if ($null -eq $key) { return }
    [void]$Registry.AppendLine('')
    [void]$Registry.AppendLine('[' + (Get-Long $Path) + ']')
    foreach ($name in $key.GetValueNames()) {
        if ($Names -and ($Names -notcontains $name)) { continue }
        if ($Like -and ($name -notmatch $Like)) { continue }
        $kind = [string]$key.GetValueKind($name)
        $value = $key.GetValue($name, $null, [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames)
        if ($kind -eq 'Binary' -and $value.Length -gt 64) { continue }
        [void]$Registry.AppendLine('"' + $name.Replace('\', '\\').Replace('"', '\"') + '"=' + (ConvertTo-Written $value $kind))
    }
}

foreach ($row in $Keys) { Add-Key $row.Path $row.Names '' }
Add-Key "$Control\Session Manager\Environment" @() $Variables
Add-Key 'HKCU\Environment' @() $Variables

$DriverNames = @('DriverDesc', 'ProviderName', 'DriverVersion', 'DriverDate', 'InfPath', 'MatchingDeviceId', 'RadeonSoftwareVersion', 'RadeonSoftwareEdition', 'ReleaseVersion',
    'HardwareInformation.qwMemorySize', 'HardwareInformation.AdapterString', 'VulkanDriverName', 'OpenCLDriverName')
foreach ($top in @($Display, $Components)) {
    foreach ($name in (Get-Below $top)) {
        if ($name -match '^\d{4}$') { Add-Key "$top\$name" $DriverNames '' }
    }
}
$Bus = 'HKLM\SYSTEM\CurrentControlSet\Enum\PCI'
foreach ($identity in (Get-Below $Bus)) {
    if ($identity -notmatch '^VEN_(1002|10DE|8086)') { continue }
    foreach ($instance in (Get-Below "$Bus\$identity")) {
        $device = Get-Key "$Bus\$identity\$instance"
        if ($null -eq $device) { continue }
        $kinds = @($device.GetValue('CompatibleIDs')) -join ' '
        if (([string]$device.GetValue('ClassGUID')) -eq '{4d36e968-e325-11ce-bfc1-08002be10318}' -or $kinds -match 'CC_03') {
            Add-Key "$Bus\$identity\$instance" @('ClassGUID', 'Driver', 'DeviceDesc', 'Mfg', 'Service', 'LocationInformation', 'CompatibleIDs') ''
        }
    }
}
$Wanted = '^(Ollama|LM[ -]Studio|Lemonade|ComfyUI|Jan|KoboldCpp|GPT4All|Amuse|Stability ?Matrix|OBS Studio|MSI Afterburner|RivaTuner|ReShade|Overwolf|Mirillis|Bandicam|Fraps)'
foreach ($top in @('HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall', 'HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall', 'HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall')) {
    foreach ($name in (Get-Below $top)) {
        $entry = Get-Key "$top\$name"
        if ($null -ne $entry -and ([string]$entry.GetValue('DisplayName')) -match $Wanted) { Add-Key "$top\$name" @('DisplayName', 'DisplayVersion', 'InstallLocation') '' }
    }
}

# Devices and memory, by WMI. The sizes of the GPU are those of the registry: AdapterRAM is capped at 4 GiB.
$Controllers = @()
$Adapters = @()
$Windows = @{}
foreach ($link in @(Get-CimInstance Win32_PNPAllocatedResource)) {
    $start = [string]$link.Antecedent.StartingAddress
    $id = [string]$link.Dependent.DeviceID
    if ($start -and $id) { if (-not $Windows.ContainsKey($id)) { $Windows[$id] = @() }; $Windows[$id] += $start }
}
$Ranges = @{}
foreach ($range in @(Get-CimInstance Win32_DeviceMemoryAddress)) { $Ranges[[string]$range.StartingAddress] = [int64]$range.EndingAddress - [int64]$range.StartingAddress + 1 }
$Sizes = @{}
foreach ($name in (Get-Below $Display)) {
    if ($name -notmatch '^\d{4}$') { continue }
    $key = Get-Key "$Display\$name"
    if ($null -eq $key) { continue }
    $size = $key.GetValue('HardwareInformation.qwMemorySize')
    if ($size -is [byte[]] -and $size.Length -ge 8) { $size = [BitConverter]::ToInt64($size, 0) }
    if ($size) { $Sizes[[string]$key.GetValue('DriverDesc')] = [int64]$size }
}
$System = Get-CimInstance Win32_OperatingSystem
$Visible = [int64]0
$Available = [int64]0
$CommitLimit = [int64]0
$CommitFree = [int64]0
if ($null -ne $System) {
    $Visible = [int64]$System.TotalVisibleMemorySize * 1024
    $Available = [int64]$System.FreePhysicalMemory * 1024
    $CommitLimit = [int64]$System.TotalVirtualMemorySize * 1024
    $CommitFree = [int64]$System.FreeVirtualMemory * 1024
}
$Installed = [int64]0
foreach ($module in @(Get-CimInstance Win32_PhysicalMemory)) { $Installed += [int64]$module.Capacity }
$Used = @{}
foreach ($row in @(Get-CimInstance Win32_PerfFormattedData_GPUPerformanceCounters_GPUAdapterMemory)) {
    if ($row.Name -match '^luid_0x([0-9A-Fa-f]{8})_0x([0-9A-Fa-f]{8})') { $Used[($Matches[1] + '-' + $Matches[2]).ToLower()] = @([int64]$row.DedicatedUsage, [int64]$row.SharedUsage) }
}
$Processes = @()
foreach ($row in @(Get-CimInstance Win32_PerfFormattedData_GPUPerformanceCounters_GPUProcessMemory)) {
    if ($row.Name -match '^pid_(\d+)_luid_0x([0-9A-Fa-f]{8})_0x([0-9A-Fa-f]{8})' -and ([int64]$row.DedicatedUsage + [int64]$row.SharedUsage) -gt 0) {
        $id = [int]$Matches[1]
        $luid = ($Matches[2] + '-' + $Matches[3]).ToLower()
        $process = Get-Process -Id $id
        $title = ''
        if ($null -ne $process) { $title = $process.ProcessName + '.exe' }
        $Processes += [ordered]@{ pid = $id; name = $title; luid = $luid; dedicated = [int64]$row.DedicatedUsage; shared = [int64]$row.SharedUsage }
    }
}
# DirectX keeps its list of adapters, with their LUIDs, in the registry; entries of former drivers stay, so only LUIDs in use count.
$Luids = @{}
foreach ($name in (Get-Below 'HKLM\SOFTWARE\Microsoft\DirectX')) {
    $key = Get-Key "HKLM\SOFTWARE\Microsoft\DirectX\$name"
    if ($null -eq $key -or $null -eq $key.GetValue('AdapterLuid')) { continue }
    $raw = [int64]$key.GetValue('AdapterLuid')
    $luid = '{0:x8}-{1:x8}' -f [int](($raw -shr 32) -band 0x7FFFFFFF), [int64]($raw -band 4294967295)
    if ($Used.ContainsKey($luid)) { $Luids[[string]$key.GetValue('Description')] = @($luid, [int64]$key.GetValue('SharedSystemMemory')) }
}
foreach ($card in @(Get-CimInstance Win32_VideoController)) {
    $id = [string]$card.PNPDeviceID
    if ($id -notmatch '^PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})(?:&SUBSYS_([0-9A-F]{8}))?(?:&REV_([0-9A-F]{2}))?') { continue }
    $parts = $Matches
    $sizes = @()
    if ($Windows.ContainsKey($id)) { foreach ($start in $Windows[$id]) { if ($Ranges.ContainsKey($start)) { $sizes += $Ranges[$start] } } }
    $Controllers += [ordered]@{ Name = [string]$card.Name; PNPDeviceID = $id; DriverVersion = [string]$card.DriverVersion; ConfigManagerErrorCode = [int]$card.ConfigManagerErrorCode; MemoryWindows = @($sizes) }
    $adapter = [ordered]@{ description = [string]$card.Name; vendor = [Convert]::ToInt32($parts[1], 16); device = [Convert]::ToInt32($parts[2], 16) }
    if ($parts[4]) { $adapter['revision'] = [Convert]::ToInt32($parts[4], 16) }
    if ($Sizes.ContainsKey([string]$card.Name)) { $adapter['dedicated'] = $Sizes[[string]$card.Name] }
    if ($Luids.ContainsKey([string]$card.Name)) {
        $luid = $Luids[[string]$card.Name][0]
        $adapter['luid'] = $luid
        $adapter['shared'] = $Luids[[string]$card.Name][1]
        $adapter['dedicated_used'] = $Used[$luid][0]
        $adapter['shared_used'] = $Used[$luid][1]
    }
    $Adapters += $adapter
}

# Events of the last days, as Windows writes them.
$Events = New-Object System.Text.StringBuilder
$Since = (Get-Date).AddDays(-$Days)
$Asked = @(
    @{ LogName = 'System'; ProviderName = 'Display'; Id = 4101; StartTime = $Since },
    @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-WER-SystemErrorReporting'; Id = 1001; StartTime = $Since },
    @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-UserPnp'; Id = 20001; StartTime = $Since },
    @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-WindowsUpdateClient'; Id = 19; StartTime = $Since },
    @{ LogName = 'Application'; ProviderName = 'Application Error'; Id = 1000; StartTime = $Since },
    @{ LogName = 'Application'; ProviderName = 'Windows Error Reporting'; Id = 1001; StartTime = $Since }
)
foreach ($filter in $Asked) {
    foreach ($event in @(Get-WinEvent -FilterHashtable $filter -MaxEvents 200)) {
        $xml = $event.ToXml()
        if ($filter.Id -eq 1001 -and $filter.LogName -eq 'Application' -and $xml -notmatch 'LiveKernelEvent') { continue }
        [void]$Events.AppendLine($xml)
    }
}

# Files: path, bytes, time, version.
$Files = New-Object System.Collections.ArrayList
$Contents = [ordered]@{}

function Add-File([string]$Path) {
    foreach ($file in @(Get-ChildItem -Path $Path -File)) {
        $version = ''
        if ($file.Extension -match '^\.(dll|exe|sys)$') {
            $info = $file.VersionInfo
            $version = '{0}.{1}.{2}.{3}' -f $info.FileMajorPart, $info.FileMinorPart, $info.FileBuildPart, $info.FilePrivatePart
            if ($version -eq '0.0.0.0') { $version = '' }
        }
        [void]$Files.Add(@($file.FullName, [string]$file.Length, $file.LastWriteTimeUtc.ToString('yyyy-MM-ddTHH:mm:ss') + '+00:00', $version))
    }
}

function Add-Text([string]$Path, [int]$Most) {
    foreach ($file in @(Get-ChildItem -Path $Path -File)) {
        Add-File $file.FullName
        try {
            $stream = [IO.File]::Open($file.FullName, [IO.FileMode]::Open, [IO.FileAccess]::Read, [IO.FileShare]::ReadWrite)
            try {
                if ($stream.Length -gt $Most) { [void]$stream.Seek(-$Most, [IO.SeekOrigin]::End) }
                $Contents[$file.FullName] = (New-Object IO.StreamReader($stream)).ReadToEnd()
            } finally { $stream.Dispose() }
        } catch { Write-Verbose "$($file.FullName): $_" }
    }
}

$System32 = Join-Path $env:SystemRoot 'System32'
foreach ($pattern in @('amdhip64*.dll', 'amd_comgr*.dll', 'hiprtc*.dll', 'rocblas.dll', 'hipblas*.dll', 'libhipblas*.dll', 'rocsolver.dll', 'rocsparse.dll', 'hipsparse.dll', 'rocfft.dll', 'hipfft.dll', 'MIOpen.dll', 'rocrand.dll', 'hiprand.dll', 'rocm_kpack.dll', 'vulkan-1.dll', 'vcruntime140_1.dll')) { Add-File (Join-Path $System32 $pattern) }
$Manifests = @()
foreach ($top in @($Display, $Components)) {
    foreach ($name in (Get-Below $top)) {
        $key = Get-Key "$top\$name"
        if ($null -eq $key) { continue }
        $Manifests += @($key.GetValue('VulkanDriverName')) | Where-Object { $_ }
        foreach ($library in @(@($key.GetValue('OpenCLDriverName')) | Where-Object { $_ })) { Add-File $library }
    }
}
foreach ($path in @('HKLM\SOFTWARE\Khronos\Vulkan\Drivers', 'HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers', 'HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers')) {
    $key = Get-Key $path
    if ($null -ne $key) { $Manifests += @($key.GetValueNames()) }
}
foreach ($manifest in ($Manifests | Select-Object -Unique)) {
    Add-Text $manifest 65536
    if (Test-Path $manifest) { Add-File (Join-Path (Split-Path $manifest) '*vk*64.dll') }
}
foreach ($inf in @(Get-ChildItem (Join-Path $env:SystemRoot 'INF\oem*.inf') -File)) {
    $head = @(Get-Content $inf.FullName -TotalCount 60) -join "`n"
    if ($head -match '(?im)^\s*Class\s*=\s*"?Display' -and @(Select-String -Path $inf.FullName -Pattern 'VEN_1002' -List).Count) {
        Add-File $inf.FullName
        $Contents[$inf.FullName] = $head + "`n; VEN_1002`n"
    }
}
Add-File (Join-Path $env:ProgramFiles 'AMD\ROCm\*\bin\*hip*.dll')
Add-File (Join-Path $env:ProgramFiles 'AMD\ROCm\*\bin\rocblas.dll')
Add-File (Join-Path $env:ProgramFiles 'AMD\ROCm\*\bin\rocblas\library\*gfx*')
Add-File (Join-Path $env:LOCALAPPDATA 'Programs\Ollama\*.exe')
Add-File (Join-Path $env:LOCALAPPDATA 'Programs\Ollama\lib\ollama\*.dll')
Add-File (Join-Path $env:LOCALAPPDATA 'Programs\Ollama\lib\ollama\rocm*\*.dll')
Add-File (Join-Path $env:LOCALAPPDATA 'Programs\LM Studio\LM Studio.exe')
Add-File (Join-Path $env:LOCALAPPDATA 'lemonade_server\bin\*.exe')
Add-File (Join-Path $env:USERPROFILE '.lmstudio\extensions\backends\vendor\win-llama-rocm-vendor-*\amdhip64*.dll')
Add-File (Join-Path $env:USERPROFILE '.cache\lemonade\bin\llamacpp\rocm*\amdhip64*.dll')
Add-File (Join-Path $env:USERPROFILE 'Downloads\koboldcpp*.exe')
Add-File (Join-Path $env:USERPROFILE 'Downloads\llama-b*\llama-server.exe')
Add-Text (Join-Path $env:USERPROFILE '.lmstudio\extensions\backends\llama.cpp-win-*\backend-manifest.json') 65536
Add-Text (Join-Path $env:USERPROFILE '.lmstudio\.internal\backend-preferences-v1.json') 65536
foreach ($folder in @(($env:Path -split ';') | Where-Object { $_ -and ($_ -ne $System32) } | Select-Object -Unique)) {
    Add-File (Join-Path $folder 'amdhip64*.dll')
    Add-File (Join-Path $folder 'rocblas.dll')
}
$Sites = @('venv\Lib\site-packages', '.venv\Lib\site-packages', '*\venv\Lib\site-packages', '*\.venv\Lib\site-packages', '*\python_embed*\Lib\site-packages', '*\*\python_embed*\Lib\site-packages', 'miniconda3\envs\*\Lib\site-packages')
foreach ($site in @(@($Sites | ForEach-Object { Get-Item (Join-Path $env:USERPROFILE $_) }) + @(Get-Item 'C:\*\python_embed*\Lib\site-packages', 'C:\*\venv\Lib\site-packages', 'D:\*\python_embed*\Lib\site-packages', "$env:LOCALAPPDATA\Programs\Python\Python3*\Lib\site-packages") | Where-Object { $_ })) {
    foreach ($info in @('torch-*', 'rocm_sdk*', 'rocm-*', 'triton*')) { Add-File (Join-Path $site.FullName "$info.dist-info\METADATA") }
    Add-Text (Join-Path $site.FullName 'torch\version.py') 16384
    Add-File (Join-Path $site.FullName '_rocm_sdk_core\bin\amdhip64*.dll')
    Add-File (Join-Path $site.FullName '_rocm_sdk_libraries*\bin\rocblas\library\*gfx*')
    Add-File (Join-Path (Split-Path (Split-Path $site.FullName)) 'Scripts\python.exe')
    Add-File (Join-Path (Split-Path (Split-Path $site.FullName)) 'python.exe')
}
foreach ($folder in @(Get-Item (Join-Path $env:USERPROFILE 'ComfyUI'), (Join-Path $env:USERPROFILE '*\ComfyUI'), (Join-Path $env:USERPROFILE '*\*\ComfyUI'), 'C:\*\ComfyUI', 'D:\*\ComfyUI')) {
    Add-File (Join-Path $folder.FullName 'main.py')
    Add-Text (Join-Path $folder.FullName 'comfyui_version.py') 16384
}

# The ends of logs: the newest of each application.
Add-Text (Join-Path $env:LOCALAPPDATA 'Ollama\server.log') $LogBytes
Add-Text (Join-Path $env:APPDATA 'LM Studio\logs\main.log') $LogBytes
foreach ($pattern in @((Join-Path $env:USERPROFILE '.lmstudio\server-logs\*\*.log'), (Join-Path $env:USERPROFILE '.cache\lemonade\*.log'), (Join-Path $env:LOCALAPPDATA 'lemonade_server\*.log'), (Join-Path $env:LOCALAPPDATA 'Temp\lemonade*.log'))) {
    $newest = Get-ChildItem -Path $pattern -File | Sort-Object LastWriteTime | Select-Object -Last 1
    if ($null -ne $newest) { Add-Text $newest.FullName $LogBytes }
}

$Taken = (Get-Date).ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ss') + 'Z'
$Memory = [ordered]@{ installed = $Installed; visible = $Visible; available = $Available; commit_limit = $CommitLimit; commit_used = $CommitLimit - $CommitFree }
$All = [ordered]@{
    schema   = 'rocmdoctor.windows/1'
    taken    = $Taken
    registry = $Registry.ToString()
    dxgi     = [ordered]@{ adapters = @($Adapters); memory = $Memory; processes = @($Processes) }
    cim      = [ordered]@{ taken = $Taken; Win32_VideoController = @($Controllers) }
    events   = '<Events>' + $Events.ToString() + '</Events>'
    files    = @($Files)
    contents = $Contents
}
[IO.File]::WriteAllText($Out, (ConvertTo-Json $All -Depth 6), (New-Object System.Text.UTF8Encoding($false)))
Write-Output "Written: $Out ($([Math]::Round((Get-Item $Out).Length / 1024)) KB). Read it with: rocmdoctor explain `"$Out`""
