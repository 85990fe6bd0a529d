"""Markdown as GitHub reads it, for tests of reports."""

from __future__ import annotations

from html.parser import HTMLParser

from markdown_it import MarkdownIt


class Page:
    """A page by a parser of CommonMark with GitHub's tables and automatic links."""

    def __init__(self, text):
        self.tokens = []
        for token in MarkdownIt("gfm-like").parse(text):
            self.tokens += [token, *(token.children or ())]

    def of(self, *types):
        """Return the contents of all tokens of some types."""
        return [token.content for token in self.tokens if token.type in types]

    @property
    def types(self):
        return {token.type for token in self.tokens}

    @property
    def html(self):
        """Return the elements and the text of code elements that stand there as HTML."""
        return Elements("".join(self.of("html_block", "html_inline")))

    @property
    def tables(self):
        """Return all tables as lists of rows of cells' texts."""
        found = []
        for position, token in enumerate(self.tokens):
            if token.type == "table_open":
                found.append([])
            elif token.type == "tr_open":
                found[-1].append([])
            elif token.type in {"th_open", "td_open"}:
                inline = self.tokens[position + 1]
                found[-1][-1].append("".join(child.content for child in inline.children))
        return found

    @property
    def headings(self):
        return [self.tokens[at + 1].content for at, token in enumerate(self.tokens) if token.type == "heading_open"]


class Elements(HTMLParser):
    """Tags with their attributes, texts in ``<code>``, and texts elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.codes, self.others = [], [], []
        self._depth = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *attrs))
        self._depth += tag == "code"

    def handle_endtag(self, tag):
        self._depth -= tag == "code"

    def handle_data(self, data):
        (self.codes if self._depth else self.others).append(data)

    def handle_comment(self, data):
        self.tags.append(("comment", data))

    handle_decl = handle_pi = unknown_decl = handle_comment
