"""Rows of functions that NumPy runs as a step of the compiled graph.

Only functions without effects whose result is a fresh array of a size that does not depend on
the data belong here; `RANDOM` functions advance a random state.
"""
from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..definitions import written
from ..row import BOUND_ROWS, ROWS, Effect, Kind, Op, complete, made, op
from ..rules import externs as rules
from ..rules.choosing import choice_by
from ..rules.creation import triangle_indices

FUNCTIONS = """
    nansum nanprod nanmin nanmax nanmean nanvar nanstd nanargmin nanargmax nancumsum nancumprod
    median nanmedian average cov corrcoef
    partition argpartition lexsort searchsorted digitize interp convolve correlate kron
    take_along_axis choose select pad gradient ediff1d trapezoid unwrap nan_to_num isclose
    isin sinc i0 angle polyval vander diag diagflat
    logspace geomspace hanning hamming blackman bartlett kaiser histogram2d
    allclose array_equal array_equiv iscomplexobj isrealobj packbits unpackbits
    cumulative_sum cumulative_prod dstack append meshgrid indices
    diag_indices mask_indices unravel_index
    ravel_multi_index isneginf isposinf triu_indices_from
    tril_indices_from matvec vecmat vecdot apply_over_axes resize polyadd polysub
    polyder polyint poly sort_complex polyfit
"""
LINALG = """
    inv det slogdet solve cholesky eigh eigvalsh svd svdvals qr pinv matrix_rank matrix_power cond
    matrix_norm vector_norm tensorinv tensorsolve cross outer lstsq
"""
TRANSFORMS: Mapping[str, str] = {
    "fft": "c", "ifft": "c", "rfft": "r", "irfft": "i", "hfft": "i", "ihfft": "r",
}
MORE_TRANSFORMS = """
    fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn fftshift ifftshift fftfreq rfftfreq
"""
# name → position of `size` in a call of the module's function; None: the dimensions themselves
RANDOM: Mapping[str, int | None] = {
    "rand": None, "randn": None, "random": 0, "random_sample": 0, "ranf": 0, "sample": 0,
    "standard_normal": 0, "standard_exponential": 0, "standard_cauchy": 0, "normal": 2,
    "uniform": 2, "exponential": 1, "poisson": 1, "binomial": 2, "beta": 2, "gamma": 2,
    "laplace": 2, "logistic": 2, "lognormal": 2, "gumbel": 2, "geometric": 1, "rayleigh": 1,
    "chisquare": 1, "standard_gamma": 1, "standard_t": 1, "weibull": 1, "pareto": 1,
    "triangular": 3, "randint": 2, "integers": 2, "vonmises": 2, "wald": 2,
}
SAMES: Mapping[str, str] = {"ranf": "random_sample", "sample": "random_sample"}
"""Functions of the module that are called otherwise than the methods which they are."""


def _register_each(owner: Any, names: str) -> None:
    for name in names.split():
        target = getattr(owner, name, None)
        if target is not None and target not in ROWS:
            op(target, Kind.EXTERN, infer=rules.tried(target), flags=True)


TRIED_RANDOM = """
    permutation permuted choice dirichlet multivariate_normal multinomial hypergeometric logseries
    negative_binomial noncentral_chisquare noncentral_f f power zipf multivariate_hypergeometric
    random_integers tomaxint
"""
"""Methods of generators whose results' types are found by trying."""


def _register_random(space: Any, owner: Callable[[], Any], rows: dict[Any, Op]) -> None:
    """Rows of a module's functions, or of the methods of a kind of generator."""
    for name, size_at in RANDOM.items():
        target = getattr(space, name, None)
        if target is not None:
            names = ("size",) * 8 if size_at is None else ("",) * size_at + ("size",)
            rule = rules.random_rule(SAMES.get(name, name), owner, size_at)
            _add_random(rows, target, name, rule, names)
    for name in TRIED_RANDOM.split():
        target = getattr(space, name, None)
        if target is not None:
            _add_random(rows, target, name, rules.tried_on(name, owner))


def _add_random(
    rows: dict[Any, Op], target: Any, name: str, rule: Callable[..., Any],
    parameters: tuple[str, ...] = (),
) -> None:
    """`parameters`: those that can be given by position, behind the generator of a method."""
    made = partial(Op, target, name, Kind.EXTERN, flags=True, effect=Effect.RANDOM)
    rows[target] = made(rule, parameters=parameters)
    if rows is BOUND_ROWS:  # called as a function of the class, with the generator first
        ROWS[target] = made(rules.after_owner(rule), parameters=("", *parameters))


DRAWN: Mapping[str, type] = {
    **dict.fromkeys(
        ("random", "uniform", "gauss", "normalvariate", "triangular", "betavariate", "expovariate",
         "gammavariate", "lognormvariate", "vonmisesvariate", "paretovariate", "weibullvariate"),
        float,
    ),
    **dict.fromkeys(("randint", "randrange"), int),
}  # fmt: skip
"""Methods of `random.Random` that draw a number, and its type."""

for _name, _type in DRAWN.items():
    _add_random(BOUND_ROWS, getattr(random.Random, _name), _name, rules.drawn_rule(_type))
_add_random(BOUND_ROWS, random.Random.seed, "seed", rules.seed_rule)
_add_random(BOUND_ROWS, random.Random.getrandbits, "getrandbits", rules.bits_rule)
for _name, _count in (
    ("choice", rules.one), ("choices", rules.count_of_choices), ("sample", rules.size_of_sample),
):
    _add_random(BOUND_ROWS, getattr(random.Random, _name), _name, rules.chosen_rule(_count))


for _name, _kind_of in TRANSFORMS.items():
    _target = getattr(np.fft, _name)
    op(_target, Kind.EXTERN, infer=rules.transform_rule(_kind_of), flags=True)
op(np.sort, Kind.EXTERN, infer=rules.sort_rule(positions=False), sequences="numbers",
   means="meanings.sort")
op(np.argsort, Kind.EXTERN, infer=rules.sort_rule(positions=True), sequences="numbers",
   method="argsort")
for _target, _most in (
    (np.percentile, 100), (np.nanpercentile, 100), (np.quantile, 1), (np.nanquantile, 1),
):
    op(_target, Kind.EXTERN, infer=rules.quantiles(_target, _most), flags=True)
_register_each(np, FUNCTIONS)
complete(np.median, sequences="numbers")
for _target in (np.average, np.percentile, np.quantile, np.dstack):
    complete(_target, sequences="items")
complete(np.argpartition, method="argpartition", required=("kth",))
complete(np.searchsorted, method="searchsorted", required=("v",))
complete(np.choose, method="choose", required=("",), adapts="choices", arrays_at=(1,))
complete(np.select, arrays_at=(0, 1))
complete(np.dstack, arrays_at=(0,))
for _target in (np.tril_indices, np.triu_indices):
    _rule = triangle_indices(_target, lower=_target is np.tril_indices)
    op(_target, Kind.EXTERN, infer=_rule, flags=True)
for _target in (np.insert, np.delete, np.compress, np.ndarray.compress):
    _place = 0 if _target is np.compress else 1
    op(_target, Kind.EXTERN, infer=rules.selecting(_target, _place), flags=True, checks=("any",))
for _target in (np.histogram, np.histogramdd, np.histogram_bin_edges):
    op(_target, Kind.EXTERN, infer=rules.counting(_target), flags=True)
_register_each(np.linalg, LINALG)
op(np.linalg.multi_dot, Kind.EXTERN, infer=rules.into_c_order(np.linalg.multi_dot), flags=True,
   means="norms.multi_dot", arrays_at=(0,))
_register_each(np.fft, MORE_TRANSFORMS)
complete(np.compress, handler="compress")
complete(np.ndarray.compress, method="compress", required=("condition",))
complete(np.delete, handler="delete")
complete(np.histogram, handler="histogram", blocks="histogram")
for _target in (np.fft.hfft, np.fft.ifft2, np.fft.irfft2, np.fft.fftn, np.fft.ifftn):
    complete(_target, forgets_out=True)  # the last two where there are no axes
for _name, _targets in {
    "by_first": (np.interp, np.digitize, np.isin),
    "by_second": (np.searchsorted, np.polyval),
    "elementwise": (np.angle, np.nan_to_num, np.isclose, np.sinc, np.i0, np.isneginf, np.isposinf,
                    np.select),
    "folded_lines": (np.median, np.nanmedian, np.percentile, np.nanpercentile, np.quantile,
                     np.nanquantile, np.nanargmax, np.nanargmin),
    "lines": (np.sort, np.argsort, np.partition, np.argpartition, np.unwrap, np.nancumprod,
              *(getattr(np.fft, name) for name in (*TRANSFORMS, "fft2", "ifft2", "rfft2", "irfft2",
                                                   "fftshift", "ifftshift"))),
    "stacked": (*(getattr(np.linalg, name) for name in (
        "inv", "det", "slogdet", "solve", "cholesky", "eigh", "eigvalsh", "svd", "svdvals", "qr",
        "pinv", "matrix_power")),),
    "written": (np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean, np.nanvar, np.nanstd,
                np.nancumsum, np.cov, np.corrcoef, np.gradient, np.trapezoid,
                np.allclose, np.array_equal, np.append),
}.items():
    for _target in _targets:
        complete(_target, blocks=_name)
complete(np.average, blocks="averaged")
complete(np.append, joins="values")
for _target in (np.nansum, np.nanprod, np.nancumsum, np.nanmax, np.nanmin, np.nanmean, np.nanvar,
                np.nanstd, np.average):
    complete(_target, written=getattr(written, _target.__name__))
complete(np.pad, blocks="pad")
complete(np.take_along_axis, blocks="along_each")
complete(np.convolve, blocks="convolve")
_register_random(np.random, np.random.RandomState, ROWS)
_register_random(np.random.RandomState, np.random.RandomState, BOUND_ROWS)
_register_random(np.random.Generator, np.random.default_rng, BOUND_ROWS)
OF_CHOICE = "a", "size", "replace", "p"
for _space, _integers, _parameters in (
    (np.random, np.random.randint, OF_CHOICE),
    (np.random.RandomState, np.random.RandomState.randint, OF_CHOICE),
    (np.random.Generator, np.random.Generator.integers, (*OF_CHOICE, "axis", "shuffle")),
):
    complete(
        _space.choice, sequences="numbers",
        decompose=choice_by(_integers, owned=_space is not np.random, names=_parameters))
complete(np.random.choice, handler="choice")
op(np.random.seed, Kind.EXTERN, infer=rules.seed_rule, effect=Effect.RANDOM, checks=("any",))
for _target, _kind in (
    (np.random.default_rng, np.random.Generator),
    (np.random.RandomState, np.random.RandomState), (random.Random, random.Random),
):
    op(_target, Kind.EXTERN, infer=rules.generator_rule, effect=Effect.STATE, checks=("any",),
       makes=_kind)

for _target in (
    np.pad, np.partition, np.argpartition, np.resize, np.indices, np.vander, np.geomspace,
    np.logspace, np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser, np.fft.fftfreq,
    np.fft.rfftfreq, np.histogram, np.histogram_bin_edges, np.unravel_index, np.ravel_multi_index,
):
    complete(_target, counts=True)

# -- derivatives

MEANINGS: Mapping[str, tuple[Any, str]] = {
    "meanings": (np, """
        kron trapezoid sinc take_along_axis append dstack diagflat nan_to_num angle choose select
        delete insert resize meshgrid logspace geomspace vander ediff1d polyval polyder polyint poly
        polyadd polysub
    """),
    "statistics": (np, """
        average cov corrcoef median quantile percentile nanmedian nanquantile nanpercentile
        nancumsum nancumprod
    """),
    "neighbours": (np, "interp convolve correlate pad gradient"),
    "norms": (np, "polyfit vecdot matvec vecmat"),
    "norms of linalg": (np.linalg, """
        vector_norm matrix_norm cond matrix_power tensorinv tensorsolve outer cross
    """),
}
"""Topics of `ir.derivatives`, and whose functions they have under the same names."""

for _topic, (_owner, _names) in MEANINGS.items():
    for _name in _names.split():
        if hasattr(_owner, _name):
            complete(getattr(_owner, _name), means=f"{_topic.split()[0]}.{_name}")
complete(np.cumulative_sum, means="meanings.running_total")
complete(np.cumulative_prod, means="meanings.running_products")
complete(np.linalg.lstsq, means="norms.least_squares")
complete(np.linalg.pinv, means="norms.pseudo_inverse")
complete(np.nanmean, means=made("statistics.without_nan", "statistics.mean"))
complete(np.nanvar, means=made("statistics.without_nan", "statistics.var"))
complete(np.nanstd, means=made("statistics.without_nan", "statistics.std"))
complete(np.nansum, means=made("statistics.without", 0.0, np.sum))
complete(np.nanprod, means=made("statistics.without", 1.0, np.prod))
complete(np.nanmax, vjp=("arrays.extremum",))
complete(np.nanmin, vjp=("arrays.extremum",))
complete(np.unwrap, vjp=("arrays.same",))
complete(np.partition, vjp=("arrays.partitioned",))
complete(np.histogram, vjp=(
    "arrays.counted", "arrays.counted", "arrays.counted", None, "arrays.weights_of_histogram"))
complete(np.i0, partials=("bessel.order_one",))

for _name, _pullback in {
    "inv": "inverse", "det": "determinant", "slogdet": "log_determinant", "cholesky": "cholesky",
    "eigh": "eigenvectors", "eigvalsh": "eigenvalues", "svd": "singular",
    "svdvals": "singular_values", "qr": "orthogonal",
}.items():
    complete(getattr(np.linalg, _name), vjp=(f"linalg.{_pullback}",))
complete(np.linalg.solve, vjp=("linalg.matrix_of_solve", "linalg.right_of_solve"),
         keeping="linalg.keeping_factors")

for _target in (np.fft.fft, np.fft.ifft):
    complete(_target, vjp=(made("fourier.symmetric", _target),))
complete(np.fft.fftshift, vjp=(made("arrays.undone", np.fft.ifftshift),))
complete(np.fft.ifftshift, vjp=(made("arrays.undone", np.fft.fftshift),))
complete(np.fft.rfft, vjp=("fourier.of_reals",))
complete(np.fft.irfft, vjp=("fourier.to_reals",))
complete(np.fft.hfft, means="fourier.hermitian")
complete(np.fft.ihfft, means="fourier.of_hermitian")
for _name, _step, _last in (
    ("fft", np.fft.fft, None), ("ifft", np.fft.ifft, None), ("rfft", np.fft.fft, np.fft.rfft),
    ("irfft", np.fft.ifft, np.fft.irfft),
):
    for _letter, _usual in ("2", (-2, -1)), ("n", None):
        complete(getattr(np.fft, _name + _letter), means=made(
            "fourier.one_after_another", _step, _last, _usual, to_reals=_name == "irfft"))
