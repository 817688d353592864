"""The INI dialect of lengthwise's configs, as far as scripts need it: `#` starts a comment anywhere, nothing is quoted."""

import re
from typing import Iterator, NamedTuple


class Line(NamedTuple):
    raw: str
    section: str  # the section the line stands in; "" before the first
    key: str      # "" where the line sets nothing
    value: str


def scan(text: str) -> Iterator[Line]:
    section = ""
    for raw in text.splitlines():
        content = raw.partition("#")[0].strip()
        if content.startswith("[") and content.endswith("]"):
            section, content = content[1:-1].strip(), ""
        key, _, value = content.partition("=")
        yield Line(raw, section, key.strip(), value.strip())


def parse(text: str) -> dict[str, str]:
    """{"section.key": value}; the last of equal keys wins."""
    return {f"{line.section}.{line.key}".lstrip("."): line.value for line in scan(text) if line.key}


def without_section(text: str, section: str) -> str:
    """The text with a section's lines emptied, so that every other line keeps its number."""
    return "".join(("" if line.section == section else line.raw) + "\n" for line in scan(text))


def expand(values: str) -> list[str]:
    """"rope, t5" -> rope t5; "0..3, 8" -> 0 1 2 3 8; "10..40:10" -> 10 20 30 40. Ranges include both ends."""
    result = []
    for value in (part.strip() for part in values.split(",")):
        if not value:
            raise ValueError(f"'{values}' has an empty value")
        stepped = re.fullmatch(r"(\d+)\.\.(\d+)(?::(\d+))?", value)
        if not stepped:
            result.append(value)
            continue
        first, last, step = int(stepped[1]), int(stepped[2]), int(stepped[3] or 1)
        if first > last or step == 0:
            raise ValueError(f"the range '{value}' holds nothing; write first..last or first..last:step")
        result += [str(number) for number in range(first, last + 1, step)]
    return result
