from __future__ import annotations

import sys

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.rubrics.references import html_text, read

#: A page with the words "Parties of up to 8 guests.", as PDF 1.4 writes it.
PAGE = b"BT /F1 12 Tf 72 720 Td (Parties of up to 8 guests.) Tj ET"


def pdf(content):
    """Write a PDF of one page."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F1 5 0 R >> >>",
    ]
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(data)
    data += b"xref\n0 7\n0000000000 65535 f \n" + table
    return data + b"trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


def test_text_and_markdown_are_read_as_they_are(tmp_path):
    path = tmp_path / "rules.md"
    path.write_bytes("\ufeff# Règles\n\nUp to 8 guests.\n".encode())

    assert read(path) == "# Règles\n\nUp to 8 guests."


def test_of_html_the_words_are_read_that_a_reader_sees(tmp_path):
    path = tmp_path / "rules.html"
    path.write_text(
        "<!doctype html><html><head><title>x</title><style>p {color: red}</style></head><body>"
        "<h1>House\n rules</h1><script>alert('<p>no</p>')</script><p>Up to <b>8</b> guests &amp; dogs<br>from 17:00</p>"
        "<table><tr><td>Mon</td><td>closed</td></tr></table><!-- hidden --></body></html>"
    )

    assert read(path) == "House rules\nUp to 8 guests & dogs\nfrom 17:00\nMon\nclosed"


@pytest.mark.parametrize(
    "markup", ["<p>a", "</script>a", "<head><title>t</title><body>a", "<p<p>a</p></div></div>a", "a<"]
)
def test_broken_html_loses_no_words(markup):
    assert "a" in html_text(markup)


def test_of_a_pdf_the_text_is_read(tmp_path):
    path = tmp_path / "rules.PDF"
    path.write_bytes(pdf(PAGE))

    assert read(path) == "Parties of up to 8 guests."


def test_a_pdf_without_text_and_a_broken_one_are_an_error(tmp_path, caplog):
    scan, broken = tmp_path / "scan.pdf", tmp_path / "broken.pdf"
    scan.write_bytes(pdf(b""))
    broken.write_bytes(b"%PDF-1.4\nnothing more")

    with pytest.raises(ConfigurationError, match=r"scan\.pdf has no text\.$"):
        read(scan)
    with pytest.raises(ConfigurationError, match=r"broken\.pdf cannot be read as a PDF: "):
        read(broken)


def test_without_pypdf_a_pdf_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    path = tmp_path / "rules.pdf"
    path.write_bytes(pdf(PAGE))

    with pytest.raises(ConfigurationError, match=r"needs pypdf: pip install 'pytest-agentevals\[pdf\]'\.$"):
        read(path)


def test_other_files_are_an_error(tmp_path):
    path = tmp_path / "rules.docx"
    path.write_bytes(b"PK\x03\x04\xff\xfe")

    with pytest.raises(ConfigurationError, match="is no text in UTF-8; allowed are text, Markdown, HTML and PDF"):
        read(path)
