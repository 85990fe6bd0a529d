"""``agentevals calibrate``: how well verdicts agree with what people say."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.reports.calibration import Calibration


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--good-from",
    type=click.FloatRange(1, 5),
    metavar="GRADE",
    help="Labels from 1 to 5: from which on a response should pass. The default is the evaluator's threshold.",
)
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True, help="What to print."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Write the report of the results, with a section on the calibration.",
)
@click.option(
    "--min-kappa",
    type=click.FloatRange(-1, 1),
    metavar="KAPPA",
    help="Exit code 1 where the kappa of an evaluator is lower.",
)
@click.option(
    "--min-agreement",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Exit code 1 where the agreement of an evaluator is lower.",
)
@click.pass_context
def command(
    context: click.Context,
    files: tuple[Path, ...],
    good_from: float | None,
    form: str,
    output: Path | None,
    min_kappa: float | None,
    min_agreement: float | None,
) -> None:
    """Compare verdicts with people's labels.

    FILES are results documents, and labels: CSV files with the columns id (or item), label, and where needed evaluator,
    document, turn and labeller; and eval documents. Labels in "extensions": {"human": LABEL} of items and turns count,
    in results and in eval documents. LABEL is pass or fail, or a score on the evaluator's scale.
    """
    from pytest_agentevals.errors import ConfigurationError
    from pytest_agentevals.reports import formats
    from pytest_agentevals.reports.calibration import labelling
    from pytest_agentevals.reports.calibration.calibrate import calibrate
    from pytest_agentevals.reports.calibration.text import calibration_lines
    from pytest_agentevals.reports.merging import merged
    from pytest_agentevals.reports.restore import restore

    if output is not None and output.suffix.lower() != ".html":
        raise click.BadParameter(f"{output.name!r} must end with .html.", param_hint="--output")
    paths = [path.absolute() for path in files]
    tables = [path for path in paths if path.suffix.lower() == ".csv"]
    documents = {path: labelling.has_results(path) for path in paths if path not in tables}
    if not any(documents.values()):
        raise ConfigurationError("none of the files is a results document, as pytest --evals-report=FILE.json writes.")
    run = merged([restore(path) for path, results in documents.items() if results])
    others = [path for path, results in documents.items() if not results]
    # What stands in documents counts before what stands in tables.
    labels = [*labelling.of_run(run), *(label for path in (*others, *tables) for label in labelling.of_file(path))]
    calibration = calibrate(run, labels, good_from)
    if form == "json":
        click.echo(json.dumps(_as_json(calibration), ensure_ascii=False, indent=2))
    else:
        for line in calibration_lines(calibration, shutil.get_terminal_size().columns):
            click.echo(line)
    if output is not None:
        formats.write(replace(run, calibration=calibration), output)
        click.echo(f"report in {output}", err=True)
    unmet = list(_unmet(calibration, min_kappa, min_agreement))
    for sentence in unmet:
        click.echo(f"Error: {sentence}", err=True)
    if unmet:
        context.exit(1)


def _as_json(calibration: Calibration) -> dict[str, Any]:
    found = asdict(calibration)
    for written, each in zip(found["evaluators"], calibration.evaluators, strict=True):
        written |= {
            "sentence": each.sentence,
            "count": each.count,
            "agreed": each.agreed,
            "agreement": each.agreement,
            "agreement_interval": each.agreement_interval,
            "false_passes": each.false_passes,
            "false_fails": each.false_fails,
        }
        if each.threshold is not None:
            written["threshold"]["interval"] = each.threshold.interval
    return found


def _unmet(calibration: Calibration, min_kappa: float | None, min_agreement: float | None) -> Iterator[str]:
    from pytest_agentevals.reports.visible import one_line

    for each in calibration.evaluators:
        kappa = each.kappa.value if each.kappa is not None else None
        for what, value, least in (("kappa", kappa, min_kappa), ("agreement", each.agreement, min_agreement)):
            if least is not None and (value is None or value < least):
                found = "unknown" if value is None else f"{value:.3g}"
                yield f"{one_line(each.evaluator)}: {what} {found} < {least:g} (n = {each.count})"
