"""The forms of private things, in RE2's syntax: what a person, a site or a machine is known by, and what opens a door.

A row is (kind, texts of which a text must hold one, in lower case, to be worth the pattern, pattern[, test]). The groups of a
pattern are what is private, the whole match where it has none; several kinds ("user|host") are those of its groups. Every repetition is bounded or cannot meet itself, so that no
line takes long. A test (:mod:`rocmdoctor.share.judge`) looks at what a pattern cannot see.
"""

from __future__ import annotations

import functools

from rocmdoctor import later

# A name of an account or a host; a person's name; a value that is quoted or ends at a space.
_W = r"[\pL\pN_][\pL\pN_.+-]{0,62}"
_HOST = r"[\pL\pN][\pL\pN_.-]{0,62}"
_CAP = r"[\p{Lu}][\pL'’-]{1,30}"
_PERSON = rf"{_CAP}(?:[ \t]{{1,2}}(?:[\p{{Lu}}]\.|{_CAP}|(?:von|van|de|der|den|da|di|la|le|bin)\b)){{0,4}}"
_VALUE = r"(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"'`,;<>|&)\]]{3,200}))"
_QUOTED = r"[\"'`]?"
_SET = r"[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}"
# Where a line begins: also behind what a log, a container, a table or a page puts before it
_BOL = r"(?m:^|[\"'`>=|(\[]|[\pL\pN\])]:)[ \t>|]{0,8}"
# Where a word begins, also in code, tables and lists
_START = r"(?:^|[\s\"'`=:;,|>(\[])"
_HEX = "[0-9a-fA-F]"
_B64 = "[A-Za-z0-9+/]"
_FOLD = r"(?:[\s>|#*]|\\+[nrt]|<br ?/?>)"  # what stands between the lines of a key

_SECRET_WORD = (r"(?:API_?KEY|API_?TOKEN|ACCESS_?KEY(?:_ID)?|SECRET(?:_?(?:ACCESS_?)?KEY)?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|PRIVATE_?KEY"
                r"|CREDENTIALS?|AUTH(?:_?KEY)?|ENCRYPTION_?KEY|SIGNING_?KEY|MASTER_?KEY|ACCOUNT_?KEY|LICENSE_?KEY|WEBHOOK(?:_URL)?|DSN|COOKIE)")
_PASSWORD = r"(?:pass(?:word|wd|phrase|code)|passwort|mot de passe|contraseña|kennwort)"

Row = tuple[str, str, str] | tuple[str, str, str, str]

_KEYS: tuple[Row, ...] = (
    # Private keys, with and without their end, and what is left of them
    ("key", "-----begin", rf"-----BEGIN [A-Za-z0-9 ]{{0,40}}(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]{{0,12}}-----(?:(?:[^-]|-[^-])*-----END [A-Za-z0-9 ]{{1,60}}-----"
     rf"|(?:{_FOLD}*(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash): [^\n\\]{{0,100}}|{_B64}{{20,}}={{0,2}}))*(?:{_FOLD}+{_B64}{{1,76}}={{0,2}}\s*\z)?)"),
    ("key", "-----end", rf"(?:{_B64}{{4,}}={{0,2}}{_FOLD}{{1,20}})+-----END [A-Za-z0-9 ]{{0,40}}PRIVATE KEY[A-Z ]{{0,8}}-----"),
    ("key", "", rf"(?m:(?:^|[:|][ \t])[ \t>|]{{0,12}}({_B64}{{76}}|{_B64}{{70}}|{_B64}{{64}})\r?$)", "body"),
    ("key", "putty-user-key-file", r"PuTTY-User-Key-File-\d: (?:[^P]|P[^r])*Private-MAC: [0-9a-f]{8,128}"),
    ("key", "private-lines", rf"Private-Lines: \d+(?:{_FOLD}+{_B64}{{8,}}={{0,2}})+"),
    ("key|user", "ssh-|ecdsa-|sk-", rf"\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{{3}}|sk-(?:ssh|ecdsa)-\S{{4,40}})\s{{1,4}}(AAAA{_B64}{{20,}}={{0,3}})(?:[ \t]+({_W}@{_HOST}))?"),
    ("key", "sha256:", r"\bSHA256:([A-Za-z0-9+/]{43})\b"),
    ("key", "md5:", rf"\bMD5:((?:{_HEX}{{2}}:){{15}}{_HEX}{{2}})\b"),
    ("host", "|1|", r"(\|1\|[A-Za-z0-9+/=]{20,40}\|[A-Za-z0-9+/=]{20,40})"),
    ("key", "age-secret-key-", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,70}"),
    ("key", "key", rf"(?i:\b(?:Private|Public|Preshared)Key\s{{0,4}}=\s{{0,4}})({_B64}{{42,43}}=?)"),
    ("key", "private key|preshared key|public key", rf"(?i:\b(?:private|preshared|public) key:\s{{0,4}})({_B64}{{42,43}}=?)"),
    # Tokens that say by their start whose they are
    ("key", "gh", r"\bgh[pousr]_[A-Za-z0-9]{16,255}"),
    ("key", "github_pat_", r"\bgithub_pat_\w{20,255}"),
    ("key", "gl", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[\w.-]{16,100}"),
    ("key", "gr1348941", r"\bGR1348941[\w-]{16,40}"),
    ("key", "hf_|api_org_", r"\b(?:hf|api_org)_[A-Za-z0-9]{16,100}"),
    ("key", "sk-", r"\bsk-[A-Za-z0-9_-]{16,250}", "mixed"),
    ("key", "gsk_", r"\bgsk_[A-Za-z0-9]{20,80}"),
    ("key", "nvapi-", r"\bnvapi-[\w-]{20,100}"),
    ("key", "aiza", r"\bAIza[\w-]{30,50}"),
    ("key", "ya29.", r"\bya29\.[\w.-]{20,250}"),
    ("key", "gocspx-", r"\bGOCSPX-[\w-]{20,40}"),
    ("key", "akia|asia|abia|acca|aroa|aida|anpa", r"\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|ANPA)[A-Z0-9]{16}\b"),
    ("key", "xox|xapp-", r"\b(?:xox[abceoprs]|xapp)-[\w.-]{10,250}"),
    ("key", "hooks.|webhook", r"(?i:https://(?:hooks\.slack\.com/(?:services|workflows)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks|[\w.-]{1,80}\.webhook\.office\.com/webhookb2)/)([^\s\"'<>\\]{8,250})"),
    ("key", ".", r"\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,42}\b"),
    ("key", ":aa", r"\b\d{8,10}:AA[\w-]{32,34}"),
    ("key", "k_live_|k_test_|whsec_", r"\b(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,120}"),
    ("key", "sk|ac", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("key", "sg.", r"\bSG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    ("key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    ("key", "npm_", r"\bnpm_[A-Za-z0-9]{30,50}"),
    ("key", "pypi-", r"\bpypi-[\w-]{40,250}"),
    ("key", "dckr_|do", r"\b(?:dckr_(?:pat|oat)_|do[opr]_v1_)[\w-]{20,100}"),
    ("key", "shp", r"\bshp(?:at|ss|ca|pa|ua)_[0-9a-fA-F]{24,40}"),
    ("key", "sq0", r"\bsq0[a-z]{3}-[\w-]{20,50}"),
    ("key", "eaa", r"\bEAA[A-Z][\w-]{36,250}", "mixed"),
    ("key", ":apa91b", r"\b[\w-]{6,24}:APA91b[\w-]{100,200}"),
    ("key", "pmak-", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("key", "lin_|figd_|ntn_|secret_", r"\b(?:lin_(?:api|oauth)|figd|ntn|secret)_[\w-]{30,60}"),
    ("key", "atatt|atctt|atbb", r"\b(?:ATATT3|ATCTT3|ATBB)[\w=-]{20,250}"),
    ("key", "dapi", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    ("key", "hv", r"\bhv[sbr]\.[\w-]{20,250}"),
    ("key", "nfp_|rnd_|sbp_|fm2_|fo1_|vcp_|vck_|vci_", r"\b(?:nfp|rnd|sbp|fm2|fo1|vcp|vck|vci)_[\w+/=-]{20,250}"),
    ("key", "glsa_|glc_|nrak-|nrjs-|nrii-", r"\b(?:glsa_|glc_|NRAK-|NRJS-|NRII-)[\w+/=-]{16,250}"),
    ("key", "phc_|phx_|sntry|r8_|pplx-|xai-|tgp_v1_|pcsk_|lsv2_|wandb_v1_|csk-|jina_|tvly-|voyage", r"\b(?:ph[cx]_|sntry[su]_|r8_|pplx-|xai-|tgp_v1_|pcsk_|lsv2_(?:pt|sk)_|wandb_v1_|csk-|jina_|tvly-)[\w+/=-]{20,250}"),
    ("key", "fw_", r"\bfw_[A-Za-z0-9]{20,60}\b", "mixed"),
    ("key", "tskey-", r"\btskey-[a-z]{2,12}-[\w-]{10,120}"),
    ("key", "rubygems_|cio|dp.|pul-|sq|akcp|ops_eyj|hrku-|fio-u-|ccipat_|bkua_", r"\b(?:rubygems_[0-9a-f]{40,60}|cio[A-Za-z0-9]{32}\b|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,60}|pul-[0-9a-f]{40}|sq[pau]_[0-9a-f]{40}"
     r"|AKCp[\w]{40,80}|ops_eyJ[\w=-]{20,}|HRKU-[\w-]{30,70}|fio-u-[\w=-]{40,80}|CCIPAT_\w{20,80}|bkua_[0-9a-f]{40})"),
    ("key", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,80}"),
    ("key", "8q~", r"\b[\w.~-]{3}8Q~[\w.~-]{30,40}"),
    ("key", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("key", "sl.", r"\bsl\.[\w-]{100,250}"),
    ("key", "oauth:", r"\boauth:([a-z0-9]{30})\b"),
    ("key", "aaaaaaaa", r"\bA{20,22}[A-Za-z0-9%]{40,120}"),
    ("key", "comfyui-|civitai_|ms-|rpa_|ak-|as-", r"\b(?:rpa_[A-Z0-9]{30,60}|a[ks]-[A-Za-z0-9]{22}\b|comfyui-[0-9a-f]{40,80}|civitai_[\w-]{20,60}|ms-[0-9a-f]{8}-[0-9a-f-]{20,30})"),
    ("key", "a3-", r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,5}[A-Z0-9]{5,6}\b"),
    ("key", "eyj", r"\beyJ[\w-]{8,}(?:\.[\w-]{4,}(?:\.[\w-]{0,})?)?", "mixed"),
    ("key", "ey", r"\bey[A-Z][\w-]{8,}\.[\w-]{10,}\.[\w-]{10,}"),
    # Tokens of services that nobody here knows: as long as a key, and letters and digits in no order that a word or a symbol has
    ("key", "_|-", r"\b[A-Za-z]{2,12}[_-](?:[a-z0-9]{2,8}[_-])?[A-Za-z0-9]{20,250}\b", "generated"),
    ("key", "", r"\b[A-Za-z0-9]{32,250}\b", "generated"),
    # Hashes of passwords
    ("key", "$", r"\$(?:1|2[abxy]|5|6|y|7|apr1|argon2(?:id|i|d)|pbkdf2[\w-]{0,12}|scrypt|gy)\$[\w./$=,+-]{10,200}"),
    ("key", "ntlm|nthash|lmhash|:::", r"\b(?:[0-9a-f]{32}):([0-9a-f]{32}):::"),
    # What stands behind a word that says it
    ("key", "authorization", r"(?i:\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer|basic|token|digest|negotiate|apikey)?[ \t]{0,4})([^\s\"'<>,;]{6,})", "secret"),
    ("key", "bearer|basic", r"(?i:\b(?:bearer|basic)[ \t]{1,4})([\w.~+/=-]{12,})", "mixed"),
    ("key", "x-|private-token|api-key|job-token", r"(?i:\b(?:x-(?:api-key|auth-token|access-token|vault-token|amz-security-token|goog-api-key|gitlab-token)|private-token|api-key|job-token)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([^\s\"'<>,;]{4,})"),
    ("key", "key|secret|token|pass|pwd|credential|auth|webhook|dsn|cookie", rf"\b(?:[A-Z0-9]{{1,40}}_){{0,8}}{_SECRET_WORD}(?:_(?:BASE|PROD|DEV|TEST|VALUE|\d{{1,3}}))?{_QUOTED}{_SET}{_VALUE}", "secret"),
    ("key", "pass|kennwort|contras", rf"(?i:{_PASSWORD}{_QUOTED}{_SET})(?:\"([^\"\n]{{1,200}})\"|'([^'\n]{{1,200}})'|([^\s\"'`<>]{{2,200}}(?:[ \t][\pL\pN!?.-]{{1,40}}){{0,5}}))", "phrase"),
    ("key", "pass|secret|token|key|credential|auth|psk|client-cert|jaas|recovery code",
     rf"(?i:(?:\b|_|\.)(?:secret|client[_ -]?secret|(?:api|access|secret|private|auth|account|encryption|master|shared|session|signing|license|subscription|storage|deploy|activation|recovery)[_ -]?(?:key|token)(?:[_-]?id)?"
     rf"|(?:refresh|id|bot|bearer|csrf|xsrf|user|personal|deploy|registry|hf|github|gitlab|service|oauth|login|join|bootstrap|kube|admin)[_ -]?token|authtoken|auth_token|credentials?|psk|passkey|pre[_-]?shared[_-]?key|sasl\.jaas\.config"
     rf"|client-key-data|client-certificate-data|tls\.key|ssh[_-]?key|(?:wep|wpa)[_-]?key|recovery code){_QUOTED}{_SET}){_VALUE}", "secret"),
    ("key", "_key", rf"\b(?:[A-Z0-9]{{1,20}}_){{1,6}}KEY{_QUOTED}{_SET}{_VALUE}", "strong"),
    ("key", "secret_key_base", rf"\bsecret_key_base{_QUOTED}{_SET}{_VALUE}"),
    ("key", "密码|密碼|口令|密钥|パスワード|парол|비밀번호|senha|hasło|wachtwoord|lösenord|adgangskode|heslo|şifre",
     r"(?i:(?:密码|密碼|口令|密钥|パスワード|парол[ья]|비밀번호|\b(?:senha|hasło|wachtwoord|lösenord|adgangskode|heslo|şifre))[ \t]{0,2}[:：=][ \t]{0,2})([^\s\"']{3,200})", "secret"),
    ("key", "pass|kennwort|contras", rf"(?i:\b{_PASSWORD}[ \t]{{1,2}}(?:is|was|ist|set to|changed to)[: \t]{{1,3}}){_VALUE}", "strong"),
    ("key", "password|passwd|secret|token|apikey|api_key|psk|keymaterial|passphrase",
     r"(?i:<(?:\w{1,20}[:_-])?(?:\w{0,20}password|passwd|passphrase|\w{0,20}secret|\w{0,20}token|api_?key|psk|keymaterial)(?:[ \t][^<>\n]{0,80})?>\s{0,8})([^<>\s][^<>\n]{1,200})<", "secret"),
    ("key", "</key>", r"(?i:<key>[^<>\n]{0,40}(?:password|secret|token|api_?key|passphrase)[^<>\n]{0,20}</key>\s{0,8}<string>)([^<>\n]{1,200})</string>"),
    ("key", "key content", r"(?i:\bkey content[ \t]{0,20}:[ \t]{0,4})([^\s\"']{8,63})"),
    ("key", "backup|recovery|scratch", r"(?i:\b(?:backup|recovery|scratch)[ _-]codes?[\"']?\s{0,2}[:=]?\s{0,2}[\"']?)([a-z0-9]{3,8}(?:[ -][a-z0-9]{3,8}){1,3}|[a-z0-9]{8,20})", "digits"),
    ("key", "pin|otp", rf"(?i:\b(?:pin(?:[_ ]?code)?|otp){_QUOTED}{_SET})[\"']?(\d{{4,8}})\b"),
    ("key", "token", rf"(?i:\btoken{_QUOTED}{_SET})(?:\"([^\"\n]{{8,}})\"|'([^'\n]{{8,}})'|([^\s\"'`,;<>|&)\]]{{8,}}))", "strong"),
    ("key", "pass|pwd|pw", rf"(?i:(?:\b|_)(?:pass|pwd|pw){_QUOTED}{_SET}){_VALUE}", "strong"),
    ("key", "auth", r"(?i:[\"']auth[\"']\s{0,4}:\s{0,4})[\"']([A-Za-z0-9+/=_-]{8,})[\"']"),
    ("key", "key|token|secret", r"(?i:\b(?:api|access|secret|auth|private|license|product)[ _-]?(?:key|token|secret)\b(?: is| was| of| set to| set| using| found)?[ \t]{0,2}[:=]?[ \t]{0,2}[\"'`]?)([A-Za-z0-9_+/=.-]{16,})", "strong"),
    ("key", "license|licence|serial key|cd key", r"(?i:\b(?:licen[sc]e|cd|serial) key[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([\w-]{8,100})"),
    ("user|key", "kaggle|username", r"(?i:[\"']username[\"']\s{0,4}:\s{0,4}[\"'])([^\"'\n]{1,60})[\"'],\s{0,4}[\"']key[\"']\s{0,4}:\s{0,4}[\"']([0-9a-f]{32})[\"']"),
    ("key", "passw|token|secret|key|pass", rf"(?i:(?:^|[\s\"'\[,])--?(?:[a-z0-9]{{1,20}}-){{0,4}}(?:api-?key|token|password|passwd|passphrase|pass|secret|auth-?key|authtoken|access-key|secret-key|private-key|api-token|client-secret)(?:=|[\"']?,?[ \t]{{1,4}})){_VALUE}", "flag"),
    ("user|key", " -u|--user|--proxy-user", r"(?i:\b(?:curl|wget|http|https|mosquitto_pub|influx)\b[^\n|]{0,300}? (?:-u|--user|--proxy-user|-U)[ =]?[\"']?)([^\s\"':]{1,60}):([^\s\"']{1,200})"),
    ("key", "sshpass", r"\bsshpass[ \t]{1,4}(?:-[ev][ \t]+)?-p[ \t]{0,2}(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"']{1,200}))"),
    ("key", "mysql|mariadb|mongo|docker|podman|helm|az login|skopeo|7z|ipmitool|mosquitto",
     r"\b(?:mysql(?:dump|admin)?|mariadb|mongosh?|mongodump|7z|mosquitto_(?:pub|sub)|docker login|podman login|helm registry login|az login|skopeo login|ipmitool)\b[^\n|]{0,200}? (?:-p|-P)(?: {0,2}|=)[\"']?([^\s\"'-][^\s\"']{2,200})", "secret"),
    ("key", "redis-cli|ldap|zip", r"\b(?:redis-cli\b[^\n|]{0,200}? -a|ldap\w{2,10}\b[^\n|]{0,200}? -w|zip\b[^\n|]{0,100}? -P)[ \t]{1,2}[\"']?([^\s\"']{3,200})"),
    ("key", "echo|printf", r"\b(?:echo|printf)[ \t]{1,2}(?:-n[ \t]{1,2})?(?:\"([^\"\n|]{3,100})\"|'([^'\n|]{3,100})'|([^\s\"'|:]{3,100}))[ \t]{0,2}\|[ \t]{0,2}"
     r"(?:sudo -S|(?:sudo )?(?:cryptsetup|passwd|smbpasswd|gpg|openssl|kinit|ecryptfs-\S{1,30}|[^\n|]{0,80}--(?:password|passphrase)-(?:stdin|fd)))"),
    ("user|key", "chpasswd", r"\b(?:echo|printf)[ \t]{1,2}[\"']?([^\s:\"'|]{1,40}):([^\n\"'|]{3,100}?)[\"']?[ \t]{0,2}\|[ \t]{0,2}(?:sudo )?chpasswd"),
    ("user|key", "htpasswd", r"\bhtpasswd[ \t]{1,2}-\w{0,8}b\w{0,8}[ \t]{1,2}\S{1,200}[ \t]{1,2}([^\s]{1,60})[ \t]{1,2}([^\s]{3,200})"),
    ("key", "psexec|snmp|openssl|rar |7z|xfreerdp|vncviewer|winrs", r"(?i:\b(?:psexec(?:64)?(?:\.exe)?|winrs)\b[^\n|]{0,200}? -p|\bsnmp\w{2,10}\b[^\n|]{0,200}? -(?:c|A|X)|\bopenssl (?:enc|aes\S{1,20})\b[^\n|]{0,200}? -[kK])[ \t]{1,2}[\"']?([^\s\"']{3,200})", "secret"),
    ("key", "rar |7z|xfreerdp", r"(?i:\b(?:un)?rar [^\n|]{0,200}?-h?p|\b7za? [^\n|]{0,200}? -p|\bxfreerdp[^\n|]{0,200}? /p:)[\"']?([^\s\"'-][^\s\"']{2,200})"),
    ("key", "securestring", r"(?i:\bConvertTo-SecureString(?:[ \t]{1,2}-String)?[ \t]{1,2})(?:\"([^\"\n$]{2,200})\"|'([^'\n]{2,200})')"),
    ("key", "nmcli|iwctl|wpa_|netsh", r"(?i:\b(?:nmcli|iwctl|netsh|wpa_cli|wpa_passphrase)\b[^\n|]{0,160}?[ \t](?:password|passphrase|psk|--passphrase|wifi-sec\.psk|keymaterial)(?:=|[ \t]{1,2}))[\"']?([^\s\"']{3,200})"),
    ("key", "pass:", r"\b(?:-pass(?:in|out)?[ \t]{1,2}|--pass[ =])pass:([^\s\"']{1,200})"),
    ("key|user", "net use", r"(?i:\bnet use [^\n]{0,120}?\s)([^\s/*\"]{3,100})[ \t]{1,2}/user:([^\s\"]{1,80})"),
    ("user|key", "smbclient|rpcclient|smbget", r"\b(?:smbclient|rpcclient|smbget)\b[^\n|]{0,200}? -U[ \t]{0,2}[\"']?([^\s%\"']{1,60})%([^\s\"']{1,100})"),
    ("user|key", "password", r"(?i:\bmachine[ \t]{1,4})[^\s]{1,100}\s{1,4}(?i:login)\s{1,4}([^\s]{1,80})\s{1,4}(?i:password)\s{1,4}([^\s\"'\\]{1,200})"),
    ("key", "password", rf"(?i:{_BOL}password[ \t]{{1,4}})([^\s\"'\\<]{{6,100}})[ \t]*(?m:$)", "strong"),
    ("user|key", ":5432:|:3306:|:6432:|:*:", r"\b[\w.*-]{1,80}:(?:5432|\*|3306|6432):[\w*-]{1,40}:([\w.-]{1,40}):([^\s:\"']{3,100})"),
    ("key", "?|&|;", r"(?i:[?&;](?:token|key|api_?key|access_?token|auth_?token|id_token|refresh_token|sig|signature|auth|password|passwd|pwd|secret|client_secret|code|state|session|sid|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|awsaccesskeyid|subscription-key|jwt|ticket)=)([^&\s\"'<>#\\]{4,})", "query"),
    ("key", "://", r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://([^\s/@:<>\"'\\]{0,100}:[^\s/@<>\"'\\]{1,200})@"),
    ("key", "://", r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://([^\s/@:<>\"'\\]{1,200})@", "login"),
    ("key", "cookie", r"(?i:\b(?:set-)?cookie2?[\"']?:[ \t]{0,4})([^\n\"]{4,}?)(?:[\n\"]|\z| amdgpu | kernel: )"),
    ("key", "sess|csrf|xsrf|connect.sid", r"(?i:\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|sessionid|session_id|session[_-]token|csrftoken|xsrf-token|connect\.sid|_csrf)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)([^\s\"';,&<>]{6,400})"),
    ("key", "accountkey|sharedaccess|accesskey", r"(?i:\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|AccessKey)=)([^\s\"';]{8,400})"),
    ("key", "bitlocker|recovery|-", r"\b\d{6}(?:-\d{6}){7}\b"),
    ("key", "-", r"\b[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}\b", "product"),
    ("id", "product|-", r"\b(\d{5}-\d{3,5}-\d{3,7}-[A-Z0-9]{5})\b", "dashed"),
    ("key", "seed|mnemonic|recovery phrase", r"(?i:\b(?:seed(?: phrase)?|mnemonic|recovery phrase)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([a-z]{3,10}(?:[ \t][a-z]{3,10}){11,23})"),
    ("key", "0x", r"(?i:\bprivate[ _]?key[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)(0x[0-9a-f]{64})\b"),
    ("key", "otpauth://", r"\botpauth://[^\s\"'<>]{8,400}"),
    ("key", "ek|tpm|endorsement", r"(?i:\b(?:TPM|EK|endorsement)\b[^\n]{0,40}?[\s:=])([0-9a-fA-F]{40,128})\b"),
    ("key", "wandb", r"(?i:wandb[^\n]{0,80}?[\s:=])([0-9a-f]{40})\b"),
    ("key", "identity|nonce|dm-crypt|luks|key", r"(?i:\b(?:master|volume|crypt|dm-crypt)[ _-]?key[^\n]{0,20}?[\s:=])([0-9a-f]{32,128})\b"),
    ("key", "token|kubeadm", r"(?i:(?:token|kubeadm)\b[^\n]{0,60}?[\s=:\"'])([a-z0-9]{6}\.[a-z0-9]{16})\b", "kubeadm"),
    ("key", "token", r"(?i:\btoken[ \t]{1,2})([A-Za-z0-9_-]{20,250})\b", "strong"),
    ("key", "password|identified by", r"(?i:\b(?:password|identified by)[ \t]{1,4})'([^'\n]{3,100})'"),
    ("key", "requirepass|masterauth", r"\b(?:requirepass|masterauth)[ \t]{1,4}[\"']?([^\s\"']{3,200})"),
    ("key", "<<<", r"\b(?:cryptsetup|passwd|sudo -S|gpg|openssl|kinit|docker login)\b[^\n|]{0,160}<<<[ \t]{0,2}[\"']?([^\s\"'$][^\s\"']{2,200})"),
    ("wifi|key", "wifi:", r"\bWIFI:(?:T:\w{1,8};|H:\w{1,5};){0,2}S:([^;\n]{1,64});[^\n]{0,20}?P:([^;\n]{4,63});"),
    ("key", " code", r"(?i:\b(?:verification|security|login|one-?time|confirmation|2fa|access) code(?: is)?[: \t]{1,3})(\d{4,8})\b"),
    ("key", "munge:", rf"\bMUNGE:({_B64}{{20,400}}={{0,2}}):"),
    ("key", "oy2|syt_", r"\b(?:oy2[a-z0-9]{43}|syt_[\w-]{20,120})\b"),
    ("key", "swmtkn-", r"\bSWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}\b"),
    ("key", "k10", r"\bK10[0-9a-f]{40,64}::[\w-]{1,40}:[0-9a-f]{20,64}"),
)

_PEOPLE: tuple[Row, ...] = (
    ("email", "@", r"[\pL\pN][\pL\pN_.+%-]{0,63}@[\pL\pN-]{1,63}(?:\.[\pL\pN-]{1,63}){0,6}\.[\pL]{2,24}\b", "mail"),
    ("user", "/home|users/|/media/|homes/", r"/(?:home|homes|[Uu]sers|run/media|media|export/home)/([^/\s\"'`:;,()\[\]{}<>\\|&?*=]{1,64})", "home"),
    ("user", "/home|users/|/media/|homes/", r"/(?:home|homes|Users|run/media|media)/([^/\s\"'`:;,()\[\]{}<>\\|&?*=]{1,40} [^/\s\"'`:;,()\[\]{}<>\\|&?*=-][^/\s\"'`:;,()\[\]{}<>\\|&?*=]{0,40})/", "spaced"),
    ("user", "users|documents and settings", r"(?i:(?:\b[a-z]:|\\|%systemdrive%)[\\/]{1,8}(?:Users|Documents and Settings)[\\/]{1,8})([^\\/\"'<>|:*?\n\t=]{1,40})[\\/]", "home"),
    ("user", "users|documents and settings", r"(?i:(?:\b[a-z]:|\\|%systemdrive%)[\\/]{1,8}(?:Users|Documents and Settings)[\\/]{1,8})([^\\/\"'<>|:*?\s=,;)]{1,40}(?: [\p{Lu}][\pL-]{1,30}){0,2})", "home"),
    ("user", "~", rf"(?:{_START}~([a-z_][a-z0-9_-]{{1,31}})/|\b(?:cd|ls|su -c) ~([a-z_][a-z0-9_-]{{1,31}})\b)", "home"),
    # Folders that programs name after whom they work for
    ("user", "torchinductor_|pytest-of-|hsperfdata_|mozilla_|kdecache-|ksocket-|orbit-", r"/(?:torchinductor_|pytest-of-|hsperfdata_|mozilla_|kdecache-|ksocket-|orbit-)([\pL_][\pL\pN_.-]{0,40})", "home"),
    ("user", "/afs/", r"/afs/[^/\s]{1,40}/(?:users?|home|u)/(?:[a-z0-9]{1,2}/){0,2}([a-z_][\w.-]{1,40})", "home"),
    ("user", "/u/|/nethome/|/rhome/|/uhome/", rf"{_START}/(?:u|nethome|rhome|uhome)/([a-z_][a-z0-9_.-]{{1,31}})/", "home"),
    # Columns of ps, top, lsof, fuser, stat, crontab
    ("user", " ", rf"{_BOL}\d{{1,8}}[ ]{{1,6}}({_W})[ ]{{1,10}}(?:-?\d{{1,3}}|rt)[ ]{{1,6}}-?\d{{1,2}}[ ]{{1,8}}\d{{1,9}}(?:\.\d{{1,2}})?[kmgt]?[ ]{{1,8}}\d{{1,9}}(?:\.\d{{1,2}})?[kmgt]?[ ]", "account"),
    ("user", " ", rf"[ \t]\d{{1,8}}[ ]{{1,8}}(?:\d{{1,8}}[ ]{{1,8}})?({_W})[ ]{{1,8}}(?:\d{{1,6}}[ruwN ]?[a-zA-Z-]?|mem|cwd|txt|rtd|DEL)[ ]{{1,8}}(?:CHR|REG|DIR|FIFO|unix|IPv[46]|a_inode)[ ]", "account"),
    ("user", "/dev/", rf"/dev/[\w/-]{{1,40}}:[ ]{{1,20}}({_W})[ ]{{1,12}}(?:\d{{1,8}}|kernel)[ ][F.][.cefrm]{{2,6}}[ ]", "account"),
    ("user", "id: (", rf"\b[UG]id: \([ ]{{0,6}}\d{{1,10}}/[ ]{{0,20}}({_W})\)", "account"),
    ("user", ") ", rf"\(({_W})\) (?:CMD|RELOAD|LIST|REPLACE|BEGIN EDIT|END EDIT) ?\(", "account"),
    ("user", ":65536", rf"{_BOL}({_W}):\d{{5,10}}:65536\b", "account"),
    ("user", "user|logname", rf"\b(?:USER|LOGNAME|USERNAME|SUDO_USER|UserName|PGUSER|MYSQL_USER|DB_USER|SMB_USER|PKEXEC_USER|LC_USER){_QUOTED}{_SET}{_QUOTED}(?:[\pL\pN-]{{1,30}}\\{{1,4}})?({_W})", "account"),
    ("user", "user|login|account|owner|whoami|run as|uploaded|logon", rf"(?i:\b(?:user ?name|login ?name|user|login|account(?: ?name)?|owner|whoami|run as|logon|samaccountname|uploaded by){_QUOTED}{_SET}){_QUOTED}({_W})", "account"),
    ("domain|user", "\\", r"(?i:\b(?:whoami|user(?: ?name)?|account(?: name)?|logon|login|run as|owner|by|as|for|/user)(?:[:= \t]{1,3}|[ \t]{0,4}\r?\n)[\"']?)([\pL\pN][\pL\pN.-]{0,30})\\{1,4}([\pL\pN_][\pL\pN_.-]{0,40})", "domain_user"),
    ("domain|user", "s-1-", r"\b([\pL\pN][\pL\pN-]{0,30})\\([\pL\pN_][\pL\pN_.-]{0,40})[ \t]{1,20}S-1-(?:5-21|12-1)-", "domain_user"),
    ("user", "id=|groups=", r"\b[ug]id=\d{1,10}\(([^)\s]{1,64})\)", "account"),
    ("user", "session |accepted |failed |password for|logged in as|user|run as|running as|su: (to", rf"(?i:\b(?:session (?:opened|closed) for user|(?:accepted|failed) [\w/-]{{1,30}} for(?: invalid user)?|password for|logged in as:?|run(?:ning)? as(?: user)?"
     rf"|for user|of user|invalid user|authenticating user|switch(?:ed|ing) to user|su: \(to \w{{1,30}}\))[ \t]{{1,4}}){_QUOTED}({_W})", "account"),
    ("user", "slurm|userid=|_user", rf"\b(?:(?:[A-Z0-9]{{1,20}}_){{1,4}}USER(?:NAME)?{_QUOTED}{_SET}{_QUOTED}|UserId=)({_W})", "account"),
    ("user", "ruser=|acct=|logname=", rf"\b(?:ruser|acct|logname)=[\"']?({_W})", "account"),
    ("user", "seat", rf"{_BOL}c?\d{{1,6}}[ \t]{{1,8}}\d{{3,10}}[ \t]{{1,8}}({_W})[ \t]{{1,8}}seat\d", "account"),
    ("user", "all", rf"{_BOL}({_W})[ \t]{{1,8}}ALL[ \t]?=", "account"),
    ("user", ":", r"\b[a-z_][a-z0-9_-]{0,30}:[x*!]?:\d{1,10}:([a-z_][\w.-]{0,40})(?:,([a-z_][\w.-]{0,40}))?(?:,([a-z_][\w.-]{0,40}))?(?:,([a-z_][\w.-]{0,40}))?", "account"),
    ("user", "render|video|wheel|sudo", rf"{_BOL}({_W}) : (?:[a-z_][\w-]{{0,30}} ){{0,20}}(?:render|video|wheel|sudo)\b", "command"),
    ("user", "wsl", r"(?i:\\wsl(?:\$|\.localhost)\\{1,4}[^\\\s]{1,40}\\{1,4}home\\{1,4})([^\\/\s\"']{1,64})", "home"),
    ("user", "/scratch/", r"/scratch/(?:users?/)?([a-z_][a-z0-9_.-]{1,31})/", "command"),
    ("user|host", "@|㉿", rf"(?m:^|[─━┌╭\[( \t\"'`=|>])([a-z_][\w.-]{{0,31}})[@㉿]({_HOST})(?:[ \t]{{0,4}}[)\]]-\[|[ \t]~?[^\s>$#%]{{0,200}}[>❯][ \t]|[ \t]{{1,2}}~)", "prompt"),
    ("user|host", "@", rf"(?m:^|[ \t\"'`=|>\[])([a-z_][\w.-]{{0,31}})@({_HOST})[ \t]{{0,4}}\r?\n[^\n]{{0,120}}?-{{5,80}}", "prompt"),
    ("email", "at", r"(?i:\b[\pL\pN][\pL\pN_.+-]{1,63} ?(?:\(at\)|\[at\]|<at>|\{at\}) ?[\pL\pN-]{1,63}(?: ?(?:\.|\(dot\)|\[dot\]|<dot>|\{dot\}) ?[\pL\pN-]{1,63}){1,4})"),
    ("user", "sudo", rf"\bsudo(?:\[\d+\])?:\s{{1,8}}({_W}) :", "account"),
    ("user", "usermod|adduser|gpasswd|useradd|userdel|sudo -u|su -|runuser|passwd|enable-linger|chage|crontab",
     r"\b(?:usermod(?: -[\w-]{1,12})*(?: [\w,]{1,60})?|adduser|gpasswd -a|useradd(?: -\w{1,4})*|userdel|passwd|sudo -u|su -|su -l|runuser -[ul]|loginctl enable-linger|chage -l|crontab -u)[ \t]{1,4}([a-z_][a-z0-9_-]{2,31})\b", "command"),
    ("user", "chown", r"\bchown(?: -\w{1,4})*[ \t]{1,4}([a-z_][a-z0-9_-]{1,31})(?::([a-z_][a-z0-9_-]{1,31}))?[ \t]", "account"),
    ("user", "rw|r-|-w|--", rf"{_BOL}[bcdlps-](?:[r-][w-][xsStT-]){{3}}[.+@]?\s{{1,8}}\d{{1,6}}\s{{1,8}}({_W})\s{{1,20}}({_W})\s", "account"),
    ("user", ".", rf"{_BOL}([\pL_][\pL\pN_.+-]{{0,40}})\s{{1,20}}\d{{1,8}}\s{{1,8}}\d{{1,4}}\.\d\s{{1,8}}\d{{1,4}}\.\d\s{{1,12}}\d{{1,12}}\s{{1,12}}\d", "account"),
    ("user", "pts/|tty|:", rf"{_BOL}([a-z_][\w-]{{1,31}})\s{{1,12}}(?:pts/\d+|tty\d+|:\d)\s", "account"),
    ("user|name", ":", rf"{_BOL}({_W}):[x*!]?:\d{{1,10}}:\d{{1,10}}:([^:\n]{{0,80}}):", "passwd"),
    ("user", ":", rf"{_BOL}({_W}):(?:\$[\w./$=+-]{{10,200}}|[!*]{{1,2}}):\d{{4,6}}:", "account"),
    ("user", ":$", rf"{_BOL}({_W}):\$(?:apr1|2y|5|6)\$", "account"),
    ("user|host", "@", r"(?:^|[\s\"'`(\[>=:])([a-z_][\w.-]{0,40})@([\pL][\pL\pN_.-]{0,62})(?:[:\]]? ?[~/][^\s]{0,200}[$#\]]|:~|[:\]]?[ ]?[~/#$](?:\s|$)|[ ]~?\]?[$#%] |\s[\w./~-]{1,80}\][$#])", "prompt"),
    ("user|host", "@", rf"\b(?:ssh|scp|rsync|sftp|sshfs|mosh|ssh-copy-id)\b[^\n|]{{0,200}}?[ \t]([\pL_][\pL\pN_.-]{{0,40}})@({_HOST})", "prompt"),
    ("user", "git@", r"\bgit@[\w.-]{3,80}[:/]([\w.-]{1,60})/", "forge"),
    ("name", "author|commit|-by|from|to|cc|maintainer|packager|uploader|assignee|reporter", rf"(?i:{_BOL}(?:author|commit|committer|from|to|cc|reply-to|maintainer|packager|uploader|assignee|reporter|[a-z-]{{3,20}}-by)[ \t]{{0,4}}:[ \t]{{0,4}}[\"']?)([\pL][^<>\n\"@]{{1,60}}?)[\"']?[ \t]{{0,2}}[<(][^>\s]{{1,80}}@"),
    ("name", "-by:", r"(?i:\b[a-z]{3,16}(?:-[a-z]{2,8})?-by:[ \t]{1,4})([\pL][^<>\n\"@]{1,60}?)[ \t]{0,2}<"),
    ("name", "author|committer|by|registered|name|contact|gecos|employee|customer|assigned", rf"(?i:\b(?:author|committer|[a-z]{{3,16}}-by|registered ?(?:owner|user)|full ?name|real ?name|display ?name|first ?name|last ?name|surname|given ?name|family ?name|gecos|contact(?: person)?|employee|customer|user\.name|my name is|assigned to|reported by|written by|contact))"
     rf"{_QUOTED}(?:[ \t]{{0,12}}[:=][ \t]{{0,40}}|[ \t]{{1,4}}){_QUOTED}({_PERSON})", "person"),
    ("name", "i'm|i am|i’m|name|ich bin", rf"(?:\bI['’]m|\bI am|(?i:\bmy name is|\bmein name ist)|\b[Ii]ch bin)[ \t]{{1,2}}({_CAP}[ \t]{_CAP})\b", "full_name"),
    ("name", "registered|organi", r"(?i:\bregistered ?organi[sz]ation[\"']?[ \t]{0,30}[:=][ \t]{0,8}[\"']?)([^\s\"'\n:][^\"'\n:]{0,60}?)(?:[ \t]{2,}|[\"'\n]| amdgpu |$|\z)"),
    ("name", "owner|registered", r"(?i:\bregistered ?owner[\"']?[ \t]{0,30}[:=][ \t]{0,8}[\"']?)([^\s\"'\n:][^\s\"'\n:]{0,40})", "account"),
    ("name", "'s|’s", r"\b([\p{Lu}][\pL]{1,30}(?: [\p{Lu}][\pL]{1,30})?)['’]s[- ](?:iPhone|iPad|MacBook|Mac|AirPods|Galaxy|Pixel|PC|Laptop|Desktop|Phone|Watch|Computer|Headphones|Buds|Speaker|Keyboard|Mouse|Network|WiFi|Wi-Fi)\b"),
    ("name", "regards|cheers|grüße|sincerely|grüsse", rf"(?i:\b(?:regards|cheers|sincerely|grüße|grüsse)),?[ \t]{{0,4}}\n[ \t]{{0,4}}({_PERSON})"),
    ("name", "thank|thx|best|br|lg|mfg|vg", rf"(?i:{_BOL}(?:many )?(?:thanks|thank you|thx|best|br|lg|mfg|vg)(?: in advance| a lot| again| and best)?)[,!.]{{1,2}}[ \t]{{0,4}}\n{{1,2}}[ \t]{{0,4}}({_PERSON})[ \t]{{0,4}}(?:\n[ \t]{{0,4}}\n|\s{{0,8}}\z|[\"'`|.\]])", "full_name"),
    ("user", "discord", r"(?i:\bdiscord(?: tag| user| name)?[:= \t]{1,3})@?([\w.]{2,32}(?:#\d{4})?)\b", "account"),
    ("user", "u/", rf"{_START}/?u/([A-Za-z0-9_-]{{3,20}})\b", "command"),
    ("user", "wandb.ai/", r"\bwandb\.ai/([\w-]{2,40})/", "account"),
    ("name", "onedrive", r"\bOneDrive - ([^\\/\"'\n<>|:*?]{1,60}?)(?:[\\/\"'\n]|\z|$)"),
    ("phone", "+", rf"{_START}(\+\d{{1,3}}(?:[ ./-]{{0,2}}\(?\d{{1,14}}\)?){{1,6}})", "phone"),
    ("phone", "phone|tel|mobile|fax|call|cell|whatsapp", r"(?i:\b(?:tele)?(?:phone|tel|mobile|fax|cell|whatsapp)(?: number| no\.?)?[\"']?[ \t]{0,2}[.:=]{0,2}[ \t]{0,2}[\"']?)(\(?\d[\d ()./-]{6,20}\d)", "phone"),
    ("place", "lat|lon|lng|location|coord|gps|geo", r"(?i:\b(?:location|latitude|longitude|lat|lon|lng|coordinates?|gps|geo(?:location)?)[\"']?[\s:=(\[]{1,6}[\"']?)(-?\d{1,3}\.\d{3,12}(?:[\"']?,? {0,2}-?\d{1,3}\.\d{3,12})?)"),
    ("number", "", r"\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b", "iban"),
    ("number", "", r"\b(\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}|\d{4}[ -]\d{6}[ -]\d{5}|\d{15,16})\b", "card"),
    ("number", "ssn|social security|tax|passport|national id|insurance number|driver", r"(?i:\b(?:ssn|social security(?: number)?|tax ?id|passport(?: no\.?| number)?|national id|insurance number|driver'?s licen[sc]e)[\"']?[\s:=#]{1,4}[\"']?)([A-Z0-9][A-Z0-9 -]{4,20}[A-Z0-9])", "digits"),
    ("number", "birth|dob|born", r"(?i:\b(?:date of birth|birth ?date|birthday|dob|born(?: on)?)[\"']?[\s:=]{1,4}[\"']?)(\d{1,4}[./-]\d{1,2}[./-]\d{1,4})"),
    ("place", "street|avenue|boulevard|lane|road|square", rf"\b(\d{{1,5}}[a-z]? (?:{_CAP} ){{1,3}}(?:Street|Avenue|Boulevard|Lane|Road|Square)\b|(?:{_CAP} ){{1,3}}(?:Street|Avenue|Boulevard|Lane|Road|Square) \d{{1,5}}[a-z]?\b)"),
    ("place", "straße|strasse|gasse|allee|weg |platz |str. ", r"\b([\p{Lu}][\pL-]{2,30}(?:straße|strasse|gasse|allee|weg|platz|str\.) \d{1,4}[a-z]?)\b"),
    ("number", "vat|ust", r"(?i:\b(?:vat|ust-?id)[ -]?(?:id|no\.?|nr\.?|number)?[: \t]{1,4})([A-Z]{2}[0-9A-Z]{8,12})\b"),
    ("id", "steam_", r"\bSTEAM_[0-5]:[01]:(\d{5,12})\b"),
    ("number", "765611", r"\b(7656119\d{10})\b"),
    ("id", "arn:aws|account", r"(?i:\barn:aws[\w-]{0,10}:[\w-]{0,40}:[\w-]{0,30}:|\baccount[ _-]?id[\"']?[\s:=]{1,4}[\"']?)(\d{12})\b"),
    ("id", "googleapis.com|cloud.google.com|gserviceaccount", r"\b(?:googleapis\.com|cloud\.google\.com)/[^\s]{0,80}?projects/([a-z][a-z0-9-]{5,29})/"),
)

_MACHINES: tuple[Row, ...] = (
    ("host", "@", rf"\b[a-z_][\w.-]{{0,40}}@({_HOST})(?::~|:/)[^\s]{{0,200}}[$#]", "hostname"),
    ("host", ": ", rf"(?m:^|[\s\"'`>=(\[])(?:<\d{{1,4}}>)?(?:[A-Z][a-z]{{2}} [ \d]?\d (?:\d{{4}} )?\d\d:\d\d:\d\d(?:\.\d{{1,9}})?|\d{{4}}-\d\d-\d\dT[\d:.,]{{5,18}}(?:Z|[+-]\d\d:?\d\d)?) ({_HOST}) [\w./()@\\-]{{1,60}}(?:\[\d{{1,8}}\])?: ", "hostname"),
    ("host", " kernel| systemd| sudo", rf"(?m:^|[\s\"'`>=(\[])\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?(?:Z|[+-]\d\d:?\d\d)? ({_HOST}) (?:kernel|systemd(?:-\w{{1,20}})?|sudo)(?:\[\d{{1,8}}\])?: ", "hostname"),
    ("host", ">1 ", rf"<\d{{1,3}}>1 \d{{4}}-\d\d-\d\dT\S{{8,32}} ({_HOST}) \S{{1,60}} \S{{1,40}} \S{{1,40}} ", "hostname"),
    # Settings and words of programs that work on several machines
    ("host", "master_addr|comm_id|nodelist|nodename|_host|batchhost|exec_host", rf"\b(?:MASTER_ADDR|[NR]CCL_COMM_ID|SLURM_?\w{{0,20}}(?:NODELIST|NODENAME|_HOST)|(?:Req|Exc)?NodeList|BatchHost|exec_host){_QUOTED}[ \t]{{0,4}}[=:][ \t]{{0,4}}{_QUOTED}({_HOST})", "hostname"),
    ("host", "endpoint|master|-rpc|-address|-head|init", rf"--?(?:rdzv[_-]endpoint|master[_-]addr|rpc|address|head[_-](?:node|address)|(?:dist-)?init[_-](?:method|addr))[= \t]{{1,3}}(?:tcp://)?({_HOST})", "hostname"),
    ("host", "srun|slurmstepd", rf"\b(?:srun|slurmstepd): (?:error|warning): ({_HOST}): ", "hostname"),
    ("host", " slots=", rf"{_BOL}({_HOST}) slots=\d", "hostname"),
    ("host", "instance=", rf"\binstance=\\?[\"']({_HOST}):\d{{2,5}}\b", "hostname"),
    ("host", "hostname|proxyjump", rf"{_BOL}(?:HostName|ProxyJump)[ \t]{{1,4}}({_HOST})", "hostname"),
    ("host", "rsync|scp|sshfs|gcloud compute ssh", rf"(?:\b(?:rsync|scp|sshfs)\b[^\n|]{{0,200}}?[ \t](?:{_W}@)?({_HOST}):[/~.]|\bgcloud compute (?:ssh|scp) ({_HOST}))", "hostname"),
    ("host", ":/", rf"{_BOL}({_HOST}):/[\w./-]{{1,100}}[ \t]{{1,40}}\d[\d.,]{{0,12}}[KMGTP]?i?[ \t]{{1,20}}\d", "hostname"),
    ("host", "-vg", r"(?:mapper/([\pL\pN][\w.]{0,40})--vg-|/dev/([\pL\pN][\w.]{0,40})-vg/)", "hostname"),
    ("host", "linux ", rf"\bLinux ({_HOST}) \d{{1,2}}\.\d{{1,3}}\.\d[^\s]{{0,60}} #", "hostname"),
    ("host", "name|logon server|fqdn|nodeid|server", rf"(?i:\b(?:(?:static |transient |pretty )?host[_ ]?name|machine[_ ]?name|computer[_ ]?name|netbios ?name|node[_ ]?name|kubernetes\.io/hostname|_hostname|server ?name|csname"
     rf"|pscomputername|system ?name|device ?name \(host\)|logon server|fqdn|nodeid)\b{_QUOTED}(?:{_SET}[ \t]{{0,32}}|[ \t]{{2,40}})){_QUOTED}\\{{0,4}}({_HOST})", "hostname"),
    ("host", "set hostname|hostname set|dhcp", rf"(?i:\bset hostname to <|\bhostname set to <|\bdhcp[^\n]{{0,80}}?\bhost-?name[ \t:=]{{1,3}})({_HOST})", "hostname"),
    ("host", "host: ", rf"\bHost: ({_HOST}) (?:Kernel|Desktop|Console)\b", "hostname"),
    ("host", "node:", rf"{_BOL}Node:\s{{1,30}}({_HOST})/", "hostname"),
    ("host", "desktop-|laptop-|win-", r"\b(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{6,12}\b"),
    ("host", "assigned |on node|host", rf"(?i:\b(?:assigned \S{{1,120}} to|(?:on|to|from|unknown|remote) host|on node)[ \t]{{1,2}}){_QUOTED}({_HOST})", "hostname"),
    ("host", "host is", r"(?i:\bhost is[ \t]{1,2}[\"'`]?)([a-z][a-z-]{0,40}[0-9-][\w.-]{0,20})", "hostname"),
    ("host", "nccl|rccl|transport|init|misc", rf"{_BOL}({_HOST}):\d{{1,8}}:\d{{1,8}} \[\d{{1,3}}\] (?:NCCL|RCCL|transport|init|misc)", "hostname"),
    ("host", "127.0.1.1", rf"\b127\.0\.1\.1[ \t]{{1,30}}({_HOST})(?:[ \t]{{1,20}}({_HOST}))?", "hostname"),
    ("host", "host key for", rf"(?i:\bhost key for[ \t]{{1,2}}){_QUOTED}\[?({_HOST})", "hostname"),
    ("host", "resolv|lookup|getaddrinfo|connect|authenticity|ping|traceroute|dig", rf"(?i:\b(?:could not resolve(?: host| proxy)?:?|cannot resolve|resolving(?: host)?|lookup|connect(?:ed|ing)? to|authenticity of host|failed to resolve|unable to resolve|getaddrinfo(?: \w+)? for|ping|traceroute|nslookup|dig))"
     rf"[ \t]{{1,2}}{_QUOTED}([\pL\pN][\pL\pN-]{{0,40}}(?:\.[\pL\pN-]{{1,40}}){{1,5}})", "site"),
    ("host", ".", r"\b((?:[\pL\pN][\pL\pN_-]{0,62}\.){1,6}(?:local|lan|internal|intranet|corp|home|localdomain|home\.arpa|private|fritz\.box|ts\.net|duckdns\.org|ddns\.net|no-ip\.org|dyndns\.org|priv|site|ad|domain|onion|myds\.me|synology\.me|cloudapp\.azure\.com|compute\.amazonaws\.com|trycloudflare\.com|ngrok\.io|ngrok-free\.app))\b", "local"),
    ("host", "\\\\", r"(?:^|[\s\"'`=(,>\[])\\\\([\pL\pN][\pL\pN_.-]{1,62})\\{1,2}([^\\/\s\"'<>|]{1,60})", "unc"),
    ("host", "smb://|nfs|cifs|://|:/", rf"\b({_HOST}):/[\w./-]{{1,120}} on /\S{{1,120}} type (?:nfs4?|fuse\.sshfs|ceph)", "hostname"),
    ("host", " type cifs|cifs|//", rf"{_START}//({_HOST})/([^\s/\"']{{1,60}})[ \t]{{1,4}}(?:on |/|cifs)", "hostname"),
    ("domain", "://", r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://(?:[^\s/@\"'<>]{0,200}@)?([\pL\pN_][\pL\pN._-]{0,100})", "site"),
    ("domain", "domain|workgroup|realm|search |dns suffix", rf"(?i:\b(?:domain(?: ?name)?|workgroup|realm|dns ?domain|primary dns suffix|connection-specific dns suffix|userdomain|userdnsdomain|logon ?domain){_QUOTED}(?:[ .]{{0,40}}{_SET})){_QUOTED}({_HOST})", "hostname"),
    ("domain", "search", rf"{_BOL}search[ \t]{{1,4}}({_HOST})", "site"),
    # Numbers that one machine or one part alone has
    ("serial", "serial|tag|unique|fru_id|s/n|sn|imei|iccid|ppin|processor|express service",
     rf"(?i:\b(?:serial(?:[ _#-]{{0,3}}(?:number|no|num|short|id))?\.?|(?:product|board|chassis|asic|pcb|system|baseboard|id|oam|battery|device|drive|disk|unit)_serial(?:_?(?:number|short))?|asset[ _]tag|service[ _]tag|unique[ _]?id|fru_id|device_id_serial|s/n|sn|imei|iccid|ppin|processor ?id|express service code)\b"
     rf"{_QUOTED}[ \t]{{0,60}}[:=#]{{0,2}}[ \t]{{0,40}}{_QUOTED}(?:0x)?)([A-Za-z0-9][\w./-]{{4,80}})", "serial"),
    ("serial|host|user", "<serial|<host|<user", r"(?i:<(?:serial(?:[_ ]?number)?>([^<\n]{5,60})|host(?:name)?>([^<\n]{2,60})|user(?:name)?>([^<\n]{2,60}))<)", "account"),
    ("serial", "wwn device id", rf"(?i:\bWWN Device Id:[ ]{{1,4}})({_HEX} {_HEX}{{6}} {_HEX}{{9}})\b"),
    ("serial", "serial", rf"(?i:\bDevice Serial Number[ \t]{{1,4}})((?:{_HEX}{{2}}-){{7}}{_HEX}{{2}})\b"),
    ("serial", "iserial", r"\biSerial[ \t]{1,20}\d{1,3}[ \t]{1,8}(\S{5,60})", "serial"),
    ("serial", "/dev/nvme", r"/dev/nvme\d{1,2}n\d{1,2}[ \t]{1,12}(?:/dev/ng\S{1,8}[ \t]{1,12})?([A-Z0-9]{10,20})[ \t]", "serial"),
    ("id", "hive", rf"(?i:\bhive[ _]?id[ \t]{{0,2}}[:=]?[ \t]{{0,4}}(?:0x)?)({_HEX}{{12,16}})\b", "mixed"),
    ("id", "guid", r"(?i:\b(?:pool_|vdev_|top_)?guid[\"']?[ \t]{0,4}[:=][ \t]{0,4})(\d{15,20})\b"),
    ("id", "projects/", r"\bprojects/([a-z][a-z0-9-]{5,29})/(?:zones|regions|locations|global|instances|secrets|topics)\b"),
    ("number", "wallet|bc1|eth|btc|bitcoin|payout|monero|xmr", r"(?i:\b(?:wallet|ethereum|eth|btc|bitcoin|payout|monero|xmr)\b[^\n]{0,20}?[\s:=.])(0x[0-9a-f]{40}|bc1[0-9a-z]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|[48][1-9A-HJ-NP-Za-km-z]{94})\b"),
    ("id", "teamviewer|anydesk|rustdesk", r"(?i:\b(?:teamviewer|anydesk|rustdesk)(?: client)?(?: id)?[ \t]{0,2}[:=]?[ \t]{1,4})(\d{3} ?\d{3} ?\d{3,4})\b"),
    ("serial", "gpu-", rf"\bGPU-({_HEX}{{8,32}}(?:-{_HEX}{{4,12}}){{0,4}})\b", "mixed"),
    ("serial", "ata-|nvme-|usb-|scsi-|mmc-|virtio-|ieee1394-", r"\b(?:ata|nvme|usb|scsi|mmc|virtio|ieee1394)-[A-Za-z0-9][\w.:+-]{0,200}", "disk"),
    ("serial", "eui.|naa.|nqn.|iqn.|wwn|nguid|wwid", rf"(?i:\b(?:eui\.|naa\.|wwn[-:=]?(?:0x)?|id_wwn(?:_with_extension)?=(?:0x)?|iqn\.|nguid[\s:=]{{1,4}}|wwid[\s:=]{{1,4}}(?:eui\.|naa\.)?)|\bnqn\.[\w.:-]{{4,80}}:uuid:)({_HEX}[0-9a-fA-F-]{{11,40}})"),
    ("serial", "iqn.|nqn.", r"\b(?:iqn|nqn)\.\d{4}-\d{2}\.[\w.:-]{4,200}"),
    ("id", "machine|boot", r"(?i:(?:\b|_)(?:machine|boot)[ _-]?id\b[\"']?[ \t]{0,8}[:=]?[ \t]{0,8}[\"']?)([0-9a-f]{32})\b"),
    ("id", "hostid|host_id|client|installation|distinct|device|telemetry|visitor|account|tenant|org|sub", r"(?i:\b(?:hostid|host_id|client[_ -]?id|installation[_ -]?id|distinct[_ -]?id|device[_ -]?id|telemetry[_ -]?id|visitor[_ -]?id|tenant[_ -]?id|organi[sz]ation[_ -]?id|org[_ -]?id|account[_ -]?id|sub)[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([A-Za-z0-9_-]{16,80})", "mixed"),
    ("id", "s-1-", r"\bS-1-(?:5-21|12-1)(?:-\d{1,10}){2,8}\b"),
    ("id", "org-|i-0", r"\b(?:org-[A-Za-z0-9]{20,30}|i-0[0-9a-f]{16})\b"),
    ("uuid", "-", rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}", "uuid"),
    ("uuid", "uuid", rf"(?i:\b(?:part|fs_|id_fs_|id_part_entry_)?uuid[\"']?[ \t]{{0,4}}[=:][ \t]{{0,4}}[\"']?)({_HEX}{{4}}-{_HEX}{{4}}|{_HEX}{{16}}|{_HEX}{{8}}-{_HEX}{{2}}|{_HEX}{{32}})\b"),
    ("uuid", ":", rf"\b{_HEX}{{8}}(?::{_HEX}{{8}}){{3}}\b"),
    ("uuid", "disk identifier|disklabel", rf"(?i:\bdisk identifier[ \t]{{0,4}}:[ \t]{{0,4}}(?:0x)?)({_HEX}{{8}})\b"),
    ("uuid", "by-uuid|by-partuuid", r"\bby-(?:part)?uuid/([0-9a-fA-F-]{8,36})\b"),
    ("label", "label", rf"(?i:\b(?:PART|ID_FS_|FS)?LABEL(?:_ENC)?[ \t]{{0,2}}=[ \t]{{0,2}}){_VALUE}", "label"),
    ("label", "label", r"(?i:\b(?:btrfs|ext[234]|xfs|f2fs|bcachefs|zfs|ntfs|exfat|vfat|volume|disk|filesystem|fs)\b[^\n]{0,40}?\blabel[: ]{1,2}[\"']?)([^\s\"',;()]{2,60})", "label"),
    ("label", "label", r"(?i:\blabel:[ \t]{1,4}')([^'\n]{2,60})'", "label"),
    ("label", "by-label|by-partlabel", r"\bby-(?:part)?label/([^\s/\"',;()]{2,60})", "label"),
    ("mac", ":", rf"(?:{_HEX}{{2}}:){{5,19}}{_HEX}{{2}}", "mac"),
    ("mac", "-", rf"\b(?:{_HEX}{{2}}-){{5}}{_HEX}{{2}}\b", "mac"),
    ("mac", ".", rf"\b{_HEX}{{4}}\.{_HEX}{{4}}\.{_HEX}{{4}}\b", "mac_dots"),
    ("mac", "ether|hwaddr|mac|lladdr|enx|wlx|wwx|address|bssid|bd addr|bd_addr|bdaddr|permaddr", rf"(?i:\b(?:ether|hwaddr|mac(?:[ _-]?addr(?:ess)?)?|lladdr|hardware address|physical address|bssid|bd[_ ]?addr(?:ess)?|permaddr)[\"']?[ \t]{{0,2}}[:=]?[ \t]{{0,4}}[\"']?(?:0x)?|\b(?:enx|wlx|wwx))({_HEX}{{12}})\b"),
    ("mac", "dev_", rf"\bdev_((?:{_HEX}{{2}}_){{5}}{_HEX}{{2}})\b"),
    ("mac", "infiniband|guid", rf"(?i:\b(?:(?:node|port|sys(?:tem)?|sys_image|base)[_ ]?guid)[\"']?[ \t]{{0,4}}[:=]?[ \t]{{0,4}}(?:0x)?)({_HEX}{{16}}|(?:{_HEX}{{4}}:){{3}}{_HEX}{{4}}|(?:{_HEX}{{2}}:){{7}}{_HEX}{{2}})\b"),
    ("wifi", "ssid", r"(?i:\b(?:B?E?SSID|essid)\b(?:[ \t]{0,4}[:=]?[ \t]{0,4}| name[: ]{1,4}))[\"']([^\"'\n]{1,40})[\"']"),
    ("wifi", "ssid", r"(?i:\bE?SSID[ \t]{0,30}[:=][ \t]{0,4})([^\s\"',;:][^\n\"',;:]{0,40}?)(?:[ \t]{0,8}(?:$|\z|[\n,;\"'`\\<|)]|[ \t]{2,})| amdgpu )"),
    ("wifi", "ssid", r"(?i:\bE?SSID[ \t]{0,4}[:=]?[ \t]{0,4})([\pL\pN][\pL\pN_.&+-]{1,40})", "wifi"),
    ("wifi", "network|connection|profile|hotspot|wlan|access point|wi-fi|wifi|activation|associated", r"(?i:\b(?:wireless network|wi-?fi(?: network| connection)?|connection|hotspot|access point(?: name)?|wlan profile|all user profile|starting connection|activation of|associated (?:with|to))[ \t]{0,20}:?[ \t]{0,2})[\"'‘“]([^\"'\n’”]{1,40})[\"'’”]", "wifi"),
    ("wifi", "profile|system-connections", r"(?i:\ball user profile[ \t]{0,8}:[ \t]{0,2}|system-connections/)([^\s\n\"'/][^\n\"'/]{0,40}?)(?:\.nmconnection|$|\z|[\n\"'`\\<|)\]])"),
    ("ip", ".", r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}", "ip4"),
    ("ip", ":", rf"(?:{_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}|{_HEX}{{1,4}}(?::{_HEX}{{1,4}}){{0,6}}::(?:{_HEX}{{1,4}}(?::{_HEX}{{1,4}}){{0,6}})?|::{_HEX}{{1,4}}(?::{_HEX}{{1,4}}){{0,6}}", "ip6"),
    ("ip", "ip-", r"\bip-((?:\d{1,3}-){3}\d{1,3})\b"),
    ("ip", ".in-addr.arpa", r"\b((?:\d{1,3}\.){4})in-addr\.arpa"),
    ("ip", "0x|3232", r"(?i:\b(?:ip|addr(?:ess)?)[ =:]{1,3})(0xc0a8[0-9a-f]{4}|3232\d{6})\b"),
)

# RE2 makes big automata of its classes of letters: ASCII and whatever no other script writes as a sign is as good here.
_LETTERS = {r"\p{Lu}": r"A-Z\x{c0}-\x{de}\x{391}-\x{3a9}\x{410}-\x{42f}", r"\pL": r"A-Za-z\x{c0}-\x{1fff}\x{2c00}-\x{2fff}\x{3040}-\x{d7ff}\x{f900}-\x{fe00}", r"\pN": "0-9"}


_BEYOND_ASCII = later.pattern(r"\\x\{\w+\}-\\x\{\w+\}")


def spelt(pattern: str) -> str:
    """A pattern with the letters written out."""
    return functools.reduce(lambda text, name: text.replace(name, _LETTERS[name]), _LETTERS, pattern)


def for_ascii(pattern: str) -> str:
    """A pattern of :func:`spelt` as it does for ASCII texts.

    >>> for_ascii(spelt(r"[\\pL_]+")) == "[A-Za-z_]+"
    True
    """
    return _BEYOND_ASCII.sub("", pattern)


ROWS: tuple[Row, ...] = _KEYS + _PEOPLE + _MACHINES

# Accounts and folders that every system has: they tell nothing about anybody.
COMMON_NAMES = frozenset((
    "root", "user", "users", "admin", "administrator", "ubuntu", "debian", "fedora", "arch", "nixos", "runner", "nobody", "daemon",
    "ollama", "video", "render", "docker", "podman", "systemd", "kernel", "localhost", "public", "shared", "default", "all users",
    "linuxbrew", "cdrom", "app", "node", "home", "jovyan", "vscode", "coder", "nonroot", "lost+found", "lemonade", "lmstudio",
    "wheel", "audio", "input", "disk", "tty", "adm", "sys", "bin", "sudo", "www-data", "messagebus", "polkitd", "syslog", "dbus", "avahi", "nogroup", "users",
    "system", "localsystem", "guest", "me", "self", "none", "null", "true", "false", "unknown", "yes", "no", "name", "username", "you", "your",
    "someone", "default user", "git", "mail", "sshd", "postgres", "mysql", "redis", "nginx", "jenkins", "plex", "steam", "deck", "gdm", "sddm", "lightdm",
    "service", "group", "everyone", "local", "host", "server", "client", "amd", "amdgpu", "rocm", "hip", "comfyui", "llama", "vllm", "torch", "python", "mambauser",
    # what services run as
    "jellyfin", "emby", "plexmediaserver", "frigate", "immich", "obs", "ffmpeg", "koboldcpp", "localai", "open-webui", "whisper", "boinc", "fah", "foldingathome",
    "hashcat", "libvirt", "libvirt-qemu", "qemu", "kvm", "slurm", "munge", "kubelet", "containerd", "_apt", "nobody4", "tvheadend", "kodi", "stable-diffusion",
    "greetd", "gdm-greeter", "xrdp", "_ollama", "sunshine", "wolf", "lxc", "lxd", "incus", "conda", "data", "pty", "tty"))
# Sites that logs and rules quote; a host below one of them is no secret.
PUBLIC_SITES = (
    "github.com", "githubusercontent.com", "github.io", "gitlab.com", "freedesktop.org", "kernel.org", "huggingface.co", "hf.co",
    "amd.com", "radeon.com", "pytorch.org", "pypi.org", "pythonhosted.org", "python.org", "docker.io", "docker.com", "ghcr.io",
    "quay.io", "ubuntu.com", "debian.org", "fedoraproject.org", "redhat.com", "archlinux.org", "nixos.org", "opensuse.org", "suse.com",
    "launchpad.net", "ollama.com", "ollama.ai", "lmstudio.ai", "lemonade-server.ai", "jan.ai", "microsoft.com", "windows.com",
    "google.com", "googleapis.com", "mesa3d.org", "khronos.org", "lunarg.com", "reddit.com", "stackoverflow.com", "k8s.io",
    "kubernetes.io", "kubernetes.default.svc", "host.docker.internal", "cluster.local", "nvidia.com", "intel.com", "anaconda.com",
    "anaconda.org", "conda.io", "vllm.ai", "civitai.com", "example.com", "w3.org", "json-schema.org", "openai.com", "modelscope.cn",
    "gnu.org", "gnome.org", "kde.org", "llvm.org", "cmake.org", "discord.com", "slack.com", "telegram.org", "linuxfoundation.org", "infradead.org", "linux.dev",
    "gentoo.org", "nodejs.org", "npmjs.com", "npmjs.org", "rust-lang.org", "crates.io", "aka.ms", "unsloth.ai", "wandb.ai", "jfrog.io", "x.ai", "anthropic.com")
