"""Fenced code blocks of a Markdown file, with the test directives that stand right before them."""

import dataclasses
import re

DIRECTIVE = re.compile(r"^\s*<!--\s*test:\s*(.*?)\s*-->\s*$")
FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$")

# What a directive may be, and whether it takes an argument.
WORDS = {
    "skip": True, "file": True, "same": True, "with": True, "serve": None, "exit": True,
    "expect": True, "reject": True, "retry": True, "run": False, "decl": False, "link": True,
}


class Fault(Exception):
    """A document that cannot be tested as it is written; the message names file and line."""


@dataclasses.dataclass
class Block:
    where: str  # file:line of the opening fence
    language: str
    text: str
    directives: list  # of (word, argument)

    def one(self, word):
        """The argument of a directive that occurs at most once, '' if it has none, or None."""
        found = self.all(word)
        if len(found) > 1:
            raise Fault(f"{self.where}: '{word}' stands twice")
        return found[0] if found else None

    def all(self, word):
        return [argument for name, argument in self.directives if name == word]


def directive(where, text):
    word, _, argument = text.partition(" ")
    argument = argument.strip()
    if word not in WORDS:
        raise Fault(f"{where}: unknown test directive '{word}'; known: {', '.join(WORDS)}")
    if WORDS[word] is True and not argument:
        raise Fault(f"{where}: 'test: {word}' needs an argument")
    if WORDS[word] is False and argument:
        raise Fault(f"{where}: 'test: {word}' takes no argument")
    return word, argument


def blocks(name, text):
    """All blocks of `text` in order. Directives apply to the block that follows them; only blank
    lines may stand between."""
    found, pending, lines, i = [], [], text.split("\n"), 0
    while i < len(lines):
        where = f"{name}:{i + 1}"
        if comment := DIRECTIVE.match(lines[i]):
            pending.append(directive(where, comment.group(1)))
        elif fence := FENCE.match(lines[i]):
            indent, mark, language = fence.groups()
            closing = re.compile(rf"^\s*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
            body = []
            i += 1
            while i < len(lines) and not closing.match(lines[i]):
                body.append(lines[i][len(indent):] if lines[i].startswith(indent) else lines[i])
                i += 1
            if i == len(lines):
                raise Fault(f"{where}: this block is never closed")
            if not language:
                raise Fault(f"{where}: a block needs a language; 'text' for what is only read")
            found.append(Block(where, language, "\n".join(body) + "\n", pending))
            pending = []
        elif lines[i].strip() and pending:
            raise Fault(f"{where}: a test directive must stand right before a code block")
        i += 1
    if pending:
        raise Fault(f"{name}: a test directive at the end of the file has no block")
    return found
