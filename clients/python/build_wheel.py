"""Packs the package as pip asks for it (PEP 517), with what comes with Python."""

import base64
import hashlib
import os
import zipfile

NAME, VERSION = "stele_client", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in sorted(os.listdir("stele")):
        if name.endswith((".py", ".typed")):
            with open(os.path.join("stele", name), "rb") as f:
                files["stele/" + name] = f.read()
    files[INFO + "/METADATA"] = (
        f"Metadata-Version: 2.1\nName: stele-client\nVersion: {VERSION}\nRequires-Python: >=3.9\nLicense: Apache-2.0\n"
        "Summary: Reads public records that are published with Stele, and verifies them.\n"
    ).encode()
    files[INFO + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: stele\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    files[INFO + "/RECORD"] = "".join(lines + [INFO + "/RECORD,,\n"]).encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name), data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("install from the folder, or build a wheel")
