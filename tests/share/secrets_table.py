"""Kinds of private things, each with a made-up value: name -> (a line of a log that carries it, what must be gone).

``maker`` gives new values at each call. A value is what a reader could use, the smallest piece that must not be left.
"""

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def of(self, letters, count):
        return "".join(self.random.choice(letters) for _ in range(count))

    def an(self, count):
        return "q7" + self.of(ALNUM, count - 2)

    def up(self, count):
        return "Q7" + self.of(string.ascii_uppercase + string.digits, count - 2)

    def hex(self, count):
        return "a" + self.of(HEX, count - 2) + "7"

    def num(self, count):
        return self.of("123456789", 1) + self.of("0123456789", count - 1)

    def name(self):
        return "".join(self.of("bdfgklmnprtvz", 1) + self.of("aeiou", 1) for _ in range(4)) + self.of("xqz", 1)

    def title(self):
        return self.name().capitalize()

    def b64(self, count):
        return base64.b64encode(self.random.randbytes(count)).decode()

    def url64(self, count):
        return base64.urlsafe_b64encode(self.random.randbytes(count)).decode().rstrip("=")

    def json64(self):
        return base64.urlsafe_b64encode(b'{"sub":"' + self.an(18).encode() + b'"}').decode().rstrip("=")

    def mac(self, sign=":"):
        return sign.join(self.of(HEX, 2) for _ in range(5)) + sign + "ef"

    def uuid(self):
        return f"{self.of('123456789abcdef', 8)}-{self.hex(4)}-4{self.hex(3)}-8{self.hex(3)}-{self.hex(12)}"

    def card(self):
        body = "4" + self.num(14)
        total = sum(n if i % 2 else (n * 2 - 9 if n > 4 else n * 2) for i, n in enumerate(map(int, body)))
        number = body + str(-total % 10)
        return " ".join(number[at:at + 4] for at in range(0, 16, 4))

    def iban(self):
        body = self.num(18)
        return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def at(text, make):
    def row(maker):
        value = make(maker)
        return text.replace("%s", value), value
    return row


def key(kind, end=True):
    def row(maker):
        lines = [maker.b64(48) for _ in range(4)]
        return "\n".join([f"-----BEGIN {kind}-----", *lines, *([f"-----END {kind}-----"] if end else [])]), lines[2]
    return row


KINDS = {
    # private keys
    "OpenSSH key": key("OPENSSH PRIVATE KEY"), "PKCS8 key": key("PRIVATE KEY"), "RSA key": key("RSA PRIVATE KEY"), "EC key": key("EC PRIVATE KEY"),
    "PGP key": key("PGP PRIVATE KEY BLOCK"), "encrypted key": key("ENCRYPTED PRIVATE KEY"), "key cut off": key("DSA PRIVATE KEY", False), "OpenVPN key": key("OpenVPN Static key V1"),
    "SSH public key": at("ssh-ed25519 AAAA%s x", lambda m: "C3NzaC1lZDI1NTE5" + m.an(50)), "SSH fingerprint": at("ED25519 key fingerprint is SHA256:%s.", lambda m: m.an(43)),
    "WireGuard key": at("PrivateKey = %s", lambda m: m.b64(32)), "age key": at("AGE-SECRET-KEY-1%s", lambda m: m.up(58)),
    "hashed known host": at("|1|%s= ssh-rsa", lambda m: m.an(27) + "=|" + m.an(27)),
    # tokens of services
    "GitHub classic": at("remote ghp_%s", lambda m: m.an(36)), "GitHub fine-grained": at("github_pat_%s", lambda m: m.an(22) + "_" + m.an(59)), "GitHub app": at("ghs_%s", lambda m: m.an(36)),
    "GitLab": at("glpat-%s", lambda m: m.an(20)), "GitLab runner": at("register glrt-%s", lambda m: m.an(20)), "Hugging Face": at("using hf_%s", lambda m: m.an(34)),
    "OpenAI": at("key sk-proj-%s", lambda m: m.an(48)), "Anthropic": at("sk-ant-api03-%s", lambda m: m.an(60)), "OpenRouter": at("sk-or-v1-%s", lambda m: m.hex(64)),
    "Groq": at("gsk_%s", lambda m: m.an(52)), "NVIDIA": at("nvapi-%s", lambda m: m.an(64)), "Google API": at("AIza%s", lambda m: "SyA" + m.an(32)),
    "Google OAuth": at("ya29.%s", lambda m: m.an(60)), "Google client secret": at("GOCSPX-%s", lambda m: m.an(28)), "AWS key id": at("AKIA%s", lambda m: m.up(16)),
    "AWS secret": at("aws_secret_access_key = %s", lambda m: m.an(13) + "/K7" + m.an(24)), "AWS session": at("AWS_SESSION_TOKEN=%s", lambda m: m.b64(90)),
    "Slack bot": at("xoxb-%s", lambda m: m.num(12) + "-" + m.num(12) + "-" + m.an(24)), "Slack app": at("xapp-1-%s", lambda m: m.up(11) + "-" + m.num(13) + "-" + m.hex(64)),
    "Slack webhook": at("https://hooks.slack.com/services/T%s", lambda m: m.up(8) + "/B" + m.up(8) + "/" + m.an(24)),
    "Discord webhook": at("https://discord.com/api/webhooks/123456789012345678/%s", lambda m: m.an(68)), "Discord bot": at("login M%s", lambda m: m.an(23) + "." + m.an(6) + "." + m.an(30)),
    "Telegram bot": at("bot 123456789:AA%s", lambda m: m.an(33)), "Stripe": at("sk_live_%s", lambda m: m.an(24)), "Twilio": at("SK%s", lambda m: m.hex(32)),
    "SendGrid": at("SG.%s", lambda m: m.an(22) + "." + m.an(43)), "Mailgun": at("key-%s", lambda m: m.hex(32)), "Mailchimp": at("%s-us12", lambda m: m.hex(32)),
    "npm": at("npm_%s", lambda m: m.an(36)), "npmrc": at("//registry.npmjs.org/:_authToken=%s", lambda m: m.an(36)), "PyPI": at("pypi-AgEIcHlwaS5vcmc%s", lambda m: m.an(80)),
    "Docker Hub": at("dckr_pat_%s", lambda m: m.an(27)), "Docker auth": at('"auth": "%s"', lambda m: base64.b64encode((m.name() + ":" + m.an(12)).encode()).decode()),
    "DigitalOcean": at("dop_v1_%s", lambda m: m.hex(64)), "Shopify": at("shpat_%s", lambda m: m.hex(32)), "Square": at("sq0atp-%s", lambda m: m.an(22)),
    "Postman": at("PMAK-%s", lambda m: m.hex(24) + "-" + m.hex(34)), "Linear": at("lin_api_%s", lambda m: m.an(40)), "Figma": at("figd_%s", lambda m: m.an(40)),
    "Notion": at("ntn_%s", lambda m: m.an(46)), "Atlassian": at("ATATT3xFfGF0%s", lambda m: m.an(60)), "Databricks": at("dapi%s", lambda m: m.hex(32)),
    "Vault": at("hvs.%s", lambda m: m.an(90)), "Netlify": at("nfp_%s", lambda m: m.an(36)), "Supabase": at("sbp_%s", lambda m: m.hex(40)), "Grafana": at("glsa_%s", lambda m: m.an(32) + "_" + m.hex(8)),
    "New Relic": at("NRAK-%s", lambda m: m.up(27)), "PostHog": at("phc_%s", lambda m: m.an(43)), "Sentry": at("sntrys_%s", lambda m: m.an(60)), "Replicate": at("r8_%s", lambda m: m.an(37)),
    "Perplexity": at("pplx-%s", lambda m: m.an(48)), "xAI": at("xai-%s", lambda m: m.an(80)), "Pinecone": at("pcsk_%s", lambda m: m.an(60)), "LangSmith": at("lsv2_pt_%s", lambda m: m.hex(32) + "_" + m.hex(10)),
    "Weights & Biases": at("wandb: api key %s", lambda m: m.hex(40)), "Tailscale": at("tskey-auth-%s", lambda m: m.an(12) + "-" + m.an(32)), "Terraform": at("%s", lambda m: m.an(14) + ".atlasv1." + m.an(60)),
    "Pulumi": at("pul-%s", lambda m: m.hex(40)), "Doppler": at("dp.pt.%s", lambda m: m.an(43)), "Azure secret": at("AccountKey=%s;", lambda m: m.b64(64)), "Entra secret": at("%s", lambda m: "abc8Q~" + m.an(34)),
    "SonarQube": at("sqp_%s", lambda m: m.hex(40)), "RubyGems": at("rubygems_%s", lambda m: m.hex(48)), "Airtable": at("pat%s", lambda m: m.an(14) + "." + m.hex(64)),
    "JWT": lambda m: (lambda s: (f"got eyJhbGciOiJIUzI1NiJ9.{m.json64()}.{s}", s))(m.url64(32)), "Kaggle": at('{"username":"u","key":"%s"}', lambda m: m.hex(32)),
    "Civitai": at("CIVITAI_API_KEY=%s", lambda m: m.hex(32)), "Docker swarm": at("SWMTKN-1-%s", lambda m: m.hex(50) + "-" + m.hex(25)), "kubeadm": at("kubeadm join --token %s", lambda m: "abc7de." + m.of("abcdef0123456789", 15) + "7"),
    "Kubernetes token": at("token: %s", lambda m: "eyJ" + m.an(60)), "Kubernetes client key": at("client-key-data: %s", lambda m: m.b64(60)), "otpauth": at("otpauth://totp/x?secret=%s", lambda m: m.up(32)),
    # passwords
    "variable": at("DB_PASSWORD=%s", lambda m: m.an(12)), "quoted variable": at("PGPASSWORD='%s'", lambda m: m.name() + " " + m.an(6)), "pass variable": at("REDIS_PASS=%s", lambda m: m.an(10)),
    "pwd variable": at("MYSQL_PWD=%s", lambda m: m.an(10)), "YAML": at("password: %s", lambda m: m.an(10)), "JSON": at('{"password": "%s"}', lambda m: m.an(10)), "INI": at("passwd = %s", lambda m: m.an(10)),
    "phrase": at("passphrase: %s", lambda m: m.name() + " " + m.name()), "flag": at("llama-server --api-key %s -ngl 99", lambda m: m.an(12)), "flag with =": at("serve --password=%s", lambda m: m.an(9)),
    "curl user": at("curl -u jane:%s http://x", lambda m: m.an(9)), "sshpass": at("sshpass -p %s ssh x", lambda m: m.an(9)), "mysql": at("mysql -u root -p%s db", lambda m: m.an(9)),
    "redis": at("redis-cli -a %s ping", lambda m: m.an(9)), "smbclient": at("smbclient //x/y -U jane%%s", lambda m: m.an(9)), "sudo": at("echo %s | sudo -S rmmod amdgpu", lambda m: m.an(9)),
    "netrc": at("machine git.x.example login jane password %s", lambda m: m.an(12)), "URL login": at("https://me:%s@pip.example/simple", lambda m: m.an(9)), "URL token": at("https://%s@github.com/a/b", lambda m: m.an(20)),
    "URL query": at("GET /a?token=%s&x=1", lambda m: m.an(12)), "signed URL": at("https://s3.amazonaws.com/a?X-Amz-Signature=%s", lambda m: m.hex(64)), "database URL": at("postgres://app:%s@db/x", lambda m: m.an(9)),
    "bearer": at("Authorization: Bearer %s", lambda m: m.an(24)), "basic": at("Authorization: Basic %s", lambda m: base64.b64encode(("u:" + m.an(12)).encode()).decode()),
    "token header": at("Authorization: Token %s", lambda m: m.hex(40)), "X-Api-Key": at("X-Api-Key: %s", lambda m: m.an(24)), "cookie": at("Cookie: sid=%s", lambda m: m.an(24)),
    "session": at("PHPSESSID=%s", lambda m: m.an(26)), "crypt hash": at("$6$%s", lambda m: m.an(8) + "$" + m.an(86)), "bcrypt": at("$2b$12$%s", lambda m: m.an(53)), "Wi-Fi key": at('psk="%s"', lambda m: m.an(12)),
    "SNMP": at("auth_token=%s", lambda m: m.an(16)), "recovery key": at("recovery %s", lambda m: "-".join(m.num(6) for _ in range(8))),
    "Windows product key": at("Product key VK7JG-%s-9MPGT", lambda m: "-".join("Q" + m.of("BCDFGHJKMPQRTVWXY2346789", 3) + "7" for _ in range(3))),
    # people
    "home": at("/home/%s/models/a.gguf", lambda m: m.name()), "home at the end": at("cwd /home/%s", lambda m: m.name()), "macOS home": at("/Users/%s/x", lambda m: m.name()), "Silverblue home": at("/var/home/%s/x", lambda m: m.name()),
    "home with a space": at("/home/jane %s/x.gguf", lambda m: m.name()), "data disk": at("/data/users/%s/x", lambda m: m.name()), "media": at("/run/media/%s/disk/x", lambda m: m.name()),
    "Windows home": at("C:\\Users\\%s\\AppData", lambda m: m.title()), "Windows full name": at("cd C:\\Users\\Jane %s", lambda m: m.title()), "Windows home with /": at("C:/Users/%s/x", lambda m: m.name()),
    "WSL home": at("/mnt/c/Users/%s/x", lambda m: m.title()), "tilde": at("source ~%s/venv", lambda m: m.name()), "domain user": at("whoami: CONTOSO\\%s", lambda m: m.name() + "77"),
    "USER": at("USER=%s", lambda m: m.name()), "login": at("login: %s", lambda m: m.name()), "id": at("uid=1000(%s) gid=1000", lambda m: m.name()), "session opened": at("session opened for user %s by", lambda m: m.name()),
    "ssh login": at("Accepted publickey for %s from", lambda m: m.name()), "sudo log": at("sudo: %s : TTY=pts/0", lambda m: m.name()), "ls": at("-rw-r--r-- 1 %s staff 12 x", lambda m: m.name()),
    "ps": at("%s  1234  0.5  1.0 123456 7890 ?  Sl  10:00 0:01 ollama", lambda m: m.name()), "passwd": at("%s:x:1000:1000::/home/x:/bin/sh", lambda m: m.name()), "prompt": at("%s@box:~$ rocminfo", lambda m: m.name()),
    "usermod": at("sudo usermod -aG render %s", lambda m: m.name()), "ssh command": at("ssh %s@10.1.2.3", lambda m: m.name()), "mail": at("mail %s@priv.example.org", lambda m: m.name()), "mail in IDN": at("mail j\u00f6hn%s@b\u00fccher.example", lambda m: m.name()),
    "author": at("Author: Jane Q. %s <jane@priv.example.org>", lambda m: m.title()), "sign-off": at("Signed-off-by: Jane %s <jane@priv.example.org>", lambda m: m.title()), "owner": at("RegisteredOwner : Jane %s", lambda m: m.title()),
    "full name": at("Full Name: Jane %s", lambda m: m.title()), "device name": at("Bluetooth: %s's iPhone", lambda m: m.title()), "git remote": at("git@github.com:%s-priv/notes.git", lambda m: m.name()),
    "telephone": at("call +49 170 %s please", lambda m: m.num(7)), "place": at("location 52.%s, 13.404954", lambda m: m.num(6)), "IBAN": at("IBAN %s", lambda m: m.iban()), "card": at("card %s", lambda m: m.card()),
    "date of birth": at("date of birth: %s", lambda m: f"19{m.num(2)}-0{m.num(1)}-1{m.num(1)}"), "OneDrive company": at("C:\\OneDrive - %s\\x", lambda m: m.title()),
    # machines
    "journal host": at("Nov 28 10:00:00 %s kernel: x", lambda m: m.name() + "2"), "ISO journal host": at("2026-03-01T10:11:12+0100 %s kernel: x", lambda m: m.name()), "prompt host": at("someone@%s:~/src# rocminfo", lambda m: m.name()),
    "uname": at("Linux %s 6.14.0-37-generic #37~24.04.1", lambda m: m.name()), "hostname": at("Static hostname: %s", lambda m: m.name()), "HOSTNAME": at("HOSTNAME=%s", lambda m: m.name()), "PC name": at("DESKTOP-%s", lambda m: m.up(7)),
    "node": at("Node:             %s/10.4.3.2", lambda m: m.name()), "local name": at("ping %s.local", lambda m: m.name()), "company name": at("resolving registry.%s.corp failed", lambda m: m.name()), "Tailscale name": at("magicdns %s-box.tail1f2e3.ts.net", lambda m: m.name()),
    "URL host": at("pull https://%s.net/v2", lambda m: m.name()), "UNC": at("\\\\CORP-%s\\share\\models", lambda m: m.name().upper()), "NCCL host": at("%s:253809:253904 [0] NCCL INFO x", lambda m: m.name()), "hosts file": at("127.0.1.1 %s", lambda m: m.name()),
    "serial": at("Serial Number: %s", lambda m: m.up(10)), "asset tag": at("Asset Tag: %s", lambda m: m.up(10)), "unique id": at("GPU[0] : Unique ID: 0x%s", lambda m: m.hex(16)), "GPU uuid": at("Uuid: GPU-%s", lambda m: m.hex(16)),
    "GPU serial": at("PRODUCT_SERIAL: %s", lambda m: m.num(12)), "disk by id": at("/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_%s_1", lambda m: "S5GX" + m.num(10)), "EUI": at("nvme0: eui.%s", lambda m: "0025" + m.hex(12)), "WWN": at("wwn-0x%s", lambda m: "5002538" + m.hex(9)),
    "PCIe serial": at("Device Serial Number %s", lambda m: m.mac("-") + "-" + m.hex(2) + "-" + m.hex(2)), "machine id": at("machine-id %s", lambda m: m.hex(32)), "UUID": at("root=UUID=%s ro", lambda m: m.uuid()), "LUKS": at("rd.luks.uuid=luks-%s", lambda m: m.uuid()),
    "FAT UUID": at("root=UUID=%s", lambda m: m.hex(4).upper() + "-3C4D"), "disk label": at("BTRFS info label %s-disk devid 1", lambda m: m.name()), "TPM": at("TPM EK hash: %s", lambda m: m.hex(64)), "SID": at("S-1-5-21-%s-1001", lambda m: f"{m.num(9)}-{m.num(9)}-{m.num(9)}"),
    "Entra SID": at("S-1-12-1-%s-1249052806", lambda m: m.num(10)), "Windows product id": at("Product ID: 00330-%s-AA412", lambda m: m.num(5) + "-" + m.num(5)), "AWS account": at("arn:aws:iam::%s:role/x", lambda m: m.num(12)),
    # networks
    "MAC": at("link/ether %s brd ff", lambda m: m.mac()), "MAC with dashes": at("Physical Address: %s", lambda m: m.mac("-").upper()), "MAC with dots": at("hwaddr %s on port", lambda m: f"00{m.hex(2)}.{m.hex(4)}.{m.hex(4)}"), "bare MAC": at("ether %s txqueuelen", lambda m: m.mac("")),
    "MAC in enx": at("enx%s: link up", lambda m: m.mac("")), "IPv4": at("Listening on %s:11434", lambda m: f"192.168.{m.num(2)}.{m.num(2)}"), "public IPv4": at("client %s connected", lambda m: f"203.0.1{m.num(2)}.1{m.num(2)}"),
    "IPv6": at("inet6 %s/64", lambda m: f"2a02:{m.num(4)}:{m.num(4)}::{m.num(3)}"), "link-local IPv6": at("inet6 fe80::%s/64", lambda m: f"{m.hex(4)}:{m.hex(4)}:fe12:{m.hex(4)}"), "SSID": at('SSID="%s" associated', lambda m: m.title() + "42"),
    "SSID without quotes": at("iw: connected to SSID %s_5G on wlan0", lambda m: m.title()), "NetworkManager": at('Connected to wireless network "%s42"', lambda m: m.title()),
}
