"""The result of a gate as JUnit XML, which every CI system shows as test cases."""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from services.gate import Gate, GateCheck

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, however they are written (section 2.2)."""


def junit_xml(gate: Gate) -> str:
    """A document with one suite and one test case a check; a failed check is a failure."""
    failures = sum(not check.passed for check in gate.checks)
    counts = {"tests": str(len(gate.checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = Element("testsuites", {"name": "hopgrade", **counts})
    suite = SubElement(root, "testsuite", {"name": _clean(f"kg run gate {gate.run}"), **counts})
    properties = SubElement(suite, "properties")
    for name, value in (
        ("corpus", gate.corpus),
        ("run", gate.run),
        ("baseline", gate.baseline),
        ("max_drop", f"{gate.rules.max_drop:g}"),
        ("strict", str(gate.rules.strict).lower()),
    ):
        SubElement(properties, "property", {"name": name, "value": _clean(value)})
    for check in gate.checks:
        _add_case(suite, gate, check)
    SubElement(suite, "system-out").text = _clean("\n".join((gate.tested, *gate.notes)))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _add_case(suite: Element, gate: Gate, check: GateCheck) -> None:
    case = SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(f"hopgrade.{gate.corpus}.{gate.run}"),
            "name": _clean(f"no worse than {gate.baseline}: {check.scope}"),
        },
    )
    if not check.passed:
        failure = SubElement(case, "failure", {"type": check.verdict, "message": _clean(check.why)})
        failure.text = _clean(gate.tested)
    else:
        SubElement(case, "system-out").text = _clean(check.why)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
