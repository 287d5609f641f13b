"""Runs the table of cases: cases.py CASES FOLDERS ADDRESS FIRST, and writes what comes of each as JSON."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import stele  # noqa: E402

OUTCOMES = {
    stele.NotFound: "not_found",
    stele.Lost: "lost",
    stele.TooOld: "too_old",
    stele.Damaged: "damaged",
    stele.Refused: "refused",
    stele.Unavailable: "unavailable",
}


def show(f):
    if f.record is None:
        return f"{f.id}!{f.standing.standing}" if f.standing else "-" + f.id
    return f"{f.id}@{f.record['version']}" + (":" + f.standing.standing if f.standing else "")


def step(release, do, first):
    lost = do[-1] == "lost"
    if do[0] == "records":
        return " ".join(show(f) for f in release.records(do[1], lost=lost))
    if do[0] == "get":
        found = release.get(do[1], do[2], lost=lost)
        assert json.loads(found.json)["id"] == do[2]
        return show(found)
    if do[0] == "changes":
        return " ".join(show(c) for c in release.changes(do[1], do[2].replace("@first", first), lost=lost))
    if do[0] == "digits":
        return str(release.get(do[1], do[2]).record[do[3]])
    if do[0] == "standing":
        s = release.standings().get(do[1])
        return f"{s.standing} {s.since}" if s else "stands"
    if do[0] == "area":
        r = release.get(do[1], do[2]).record
        a = release.area(r["ref_area_scheme"], r["ref_area"])
        before, after = (" ".join(c["code"] for c in a[list]) for list in ("predecessors", "successors"))
        return f"{a['code']} {a['name']}: {before} > {after}"
    if do[0] == "update":
        return "yes" if release.update() else "no"
    if do[0] == "verify":
        return release.verify() or "ok"
    raise ValueError(do[0])


def attempt(do):
    try:
        return do()
    except stele.SteleError as e:
        name = next((name for base, name in OUTCOMES.items() if isinstance(e, base)), "error")
        return f"{name}\t{e}"


def run(case, session, folders, address, first):
    where = address.replace("//", "//" + case.get("user", ""), 1) + "/" + case["trick"]
    if case["trick"].startswith("folder "):
        where = os.path.join(folders, case["trick"][len("folder ") :])
    if case["trick"].startswith("address "):
        where = case["trick"][len("address ") :]
    more = {"headers": case.get("headers"), "session": session}
    opened = attempt(lambda: stele.open(where, time=60, patience=1, pause=0.01, **more))
    if isinstance(opened, str):
        return [opened]
    with opened as release:
        return [attempt(lambda: step(release, do, first)) for do in case["do"]]


def main(cases, *args):
    session = None
    if cases == "--session":
        import requests

        session = requests.Session()
        cases, *args = args
    with open(cases, encoding="utf-8") as f:
        table = json.load(f)
    results = {c["name"]: run(c, session, *args) for c in table if "python" not in c.get("without", [])}
    json.dump(results, sys.stdout)


main(*sys.argv[1:])
