"""Manual pages (man(7)) from the tree of commands: one page for each command and group.

The help texts of the commands are the only source. A page has the name, synopsis, description,
arguments and options of its command, and the exit codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EXIT_CODES = (
    ("0", "Success."),
    ("1", "A defect of airtcp; or the results are complete, but a capture could not be written."),
    ("2", "Bad input or usage. One message names the place, what was found, and what is accepted."),
    ("130", "Ctrl-C. Finished work was written."),
)


def escaped(text: str) -> str:
    r"""Escape a text for roff.

    >>> escaped("--prr 0.5 \\ x"), escaped(".a")
    ('\\-\\-prr 0.5 \\e x', '\\&.a')
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    lines = ("\\&" + line if line[:1] in {".", "'"} else line for line in text.split("\n"))
    return "\n".join(lines)


def pages(app: Any, version: str) -> dict[str, str]:
    """Return the text of every page by the name of its file."""
    return {f"{'-'.join(words)}.1": page(words, command, version) for words, command in tree(app)}


def tree(app: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its words, a group just before its parts."""
    left: list[tuple[tuple[str, ...], Any]] = [(("airtcp",), app)]
    while left:
        words, command = left.pop()
        yield words, command
        parts: Mapping[str, Any] = getattr(command, "commands", {})
        left += [((*words, name), part) for name, part in reversed(list(parts.items()))]


def page(words: tuple[str, ...], command: Any, version: str) -> str:
    """Write the page of a command."""
    name, parts = "-".join(words), getattr(command, "commands", {})
    said = (command.help or "").strip()
    first = " ".join(said.split("\n\n")[0].split())
    lines = [
        f'.TH "{escaped(name.upper())}" "1" "" "airtcp {version}" "airtcp"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(first[:1].lower() + first[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {escaped(' '.join(words))}",
        *(_synopsis(command)),
        ".SH DESCRIPTION",
    ]
    for number, paragraph in enumerate(said.split("\n\n")):
        lines += [*([".PP"] if number else []), escaped(" ".join(paragraph.split()))]
    shown = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    for head, items in (("ARGUMENTS", shown), ("OPTIONS", options)):
        if items:
            lines.append(f".SH {head}")
        for parameter in items:
            lines += [".TP", f".B {_heading(parameter)}", escaped(_meaning(parameter))]
    if parts:
        lines.append(".SH COMMANDS")
        for part, of in parts.items():
            lines += [".TP", f".BR {escaped(f'{name}-{part}')} (1)", escaped(_first(of))]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_CODES:
        lines += [".TP", f".B {code}", escaped(meaning)]
    others = ["-".join(words[:end]) for end in range(1, len(words))]
    if others:
        lines += [".SH SEE ALSO", ", ".join(f"{escaped(other)}(1)" for other in others)]
    return "\n".join(lines) + "\n"


def _synopsis(command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    names = ["[OPTIONS]", *(_argument(p) for p in arguments)]
    if getattr(command, "commands", None):
        names.append("COMMAND ...")
    return [f".I {escaped(' '.join(names))}"]


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    name = name if parameter.nargs != -1 or name.endswith("...") else f"{name}..."
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _heading(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return escaped(_argument(parameter))
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    value = "" if parameter.is_flag else f" {_value(parameter)}"
    return escaped(names + value)


def _value(parameter: Any) -> str:
    if parameter.metavar:
        return parameter.metavar
    kind = parameter.type_descriptor.annotation
    if hasattr(kind, "__members__"):
        return "|".join(choice.value for choice in kind)
    return {int: "N", float: "NUMBER"}.get(kind, "PATH" if kind.__name__ == "Path" else "TEXT")


def _meaning(parameter: Any) -> str:
    said = parameter.help or ""
    shown = parameter.show_default and parameter.default is not None and not callable(parameter.default)
    flag = getattr(parameter, "is_flag", False)
    if not shown or flag or parameter.default in ((), [], ""):
        return said
    return f"{said} Default: {getattr(parameter.default, 'value', parameter.default)}."


def _first(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())
