"""All figures draw text as it is written."""

import pytest
from matplotlib.figure import Figure

from jvgn.views.figure_style import save

NO_FORMULA = r"$\frac{$ 5$"


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_text_that_looks_like_a_formula_is_drawn_as_it_is_written(tmp_path, ending):
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.barh([0, 1], [1, 1000])
    axes.set_yticks([0, 1], [NO_FORMULA, "$x$"])
    axes.set_title(NO_FORMULA)
    axes.text(0, 0, NO_FORMULA)
    axes.set_xscale("log")
    save(figure, tmp_path / f"figure.{ending}")
    assert [label.get_parse_math() for label in axes.get_yticklabels()] == [False, False]
    assert all(label.get_parse_math() for label in axes.get_xticklabels())  # of powers of ten
