# Computes the rows of certainty.json anew, and which altered figures rounding cannot explain.
import json, sys
from fractions import Fraction as F

def around(text):
    half = F(1, 2 * 10 ** len(text.partition(".")[2]))
    return max(F(0), F(text) - half), F(text) + half

def risk(measure, p, effect, per):
    return per * p * effect / (per - p + p * effect) if measure == "OR" else p * effect

def possible(row, printed, effect):
    low, high = (risk(row["measure"], p, e, row["per"]) for p, e in zip(around(row["assumed"]), around(effect)))
    return around(printed)[0] <= high and low <= around(printed)[1]

for row in json.load(open(sys.argv[1])):
    if not (row["measure"] and row["corresponding"]):
        continue
    for at, name in enumerate(["corresponding", "lower", "upper"]):
        print(row["id"], name, "%.9f" % risk(row["measure"], F(row["assumed"]), F(row["effect"][at]), row["per"]))
    for name, values, at in [("assumed", row, "assumed")] + [(n, row[n], i) for n in ["effect", "corresponding"] for i in range(3)]:
        text = values[at]
        for step in (1, -1):
            n = len(text.partition(".")[2])
            values[at] = "%.*f" % (n, F(text) + F(step, 10**n))
            wrong = not all(map(lambda i: possible(row, row["corresponding"][i], row["effect"][i]), range(3)))
            if F(values[at]) >= 0:
                print(row["id"], name, at, values[at], "found" if wrong else "hidden")
        values[at] = text
