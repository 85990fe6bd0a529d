"""A run read back from a results document is the run that was written."""

from __future__ import annotations

from generated_runs import runs
from hypothesis import HealthCheck, Phase, given, settings
from public_schema import checked

from pytest_agentevals.reports.document import render
from pytest_agentevals.reports.restore import restore


@settings(max_examples=60, phases=[Phase.generate], deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(run=runs())
def test_every_run_is_a_valid_document_and_comes_back_as_it_was(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "out.json"
    text = render(run)
    path.write_text(text, encoding="utf-8")

    checked(text)
    assert restore(path) == run
