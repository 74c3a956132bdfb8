#!/usr/bin/env python3
"""Prints what `make demo` found at the ankle, from the run.json of its studies. Standard library only.

    scripts/demo_table.py out/demo/10kmh out/demo/19.1kmh
"""

import json
import pathlib
import sys


def change(moment):
    """Of the lowest value: the peak of plantarflexion."""
    return f"{100 * moment['lowest_change']:+.1f} %"


def main():
    print("  run at       ankle's peak   with 80 %   with 16 %   filter, 6 to 20 Hz   segment inertias, ± 10 %")
    for folder in map(pathlib.Path, sys.argv[1:]):
        record = json.loads((folder / "run.json").read_text())
        ankle = next(m for m in record["moments"] if m["coordinate"] == "ankle_angle_r")
        others = [f"{100 * ankle[key]:.0f} %" for key in ("change_by_filter", "change_by_inertia")]
        print(f"  {folder.name.removesuffix('kmh') + ' km/h':<12} {ankle['lowest']:>8.1f} N m {change(ankle):>11} "
              f"{change(ankle['shares'][0]):>11} {others[0]:>20} {others[1]:>26}")
    print(f"\nAt the last speed, with 80 %: {record['answer']['sentence']}")
    for detail in record["answer"]["details"]:
        print(f"  {detail}")


if __name__ == "__main__":
    main()
