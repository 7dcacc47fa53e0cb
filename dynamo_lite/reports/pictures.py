"""Graphs and timelines as SVG that stands inside a page."""
from __future__ import annotations

from collections.abc import Sequence

from ..base.markup import escape
from ..runtime.stats import FrameRecord, GraphStep

WIDTH, HEIGHT, GAP, ROW = 170, 34, 14, 58
"""Of a box, between boxes, and from one layer to the next."""
MOST = 150
"""Steps of a graph that is drawn."""
COLOURS = {"trace": "#7aa6c2", "backend": "#c98b6b", "output": "#8fb98f", "guards": "#b79ac8"}


def layers(steps: Sequence[GraphStep]) -> list[list[GraphStep]]:
    """Each step below all that it reads."""
    depth: dict[str, int] = {}
    rows: dict[int, list[GraphStep]] = {}
    for step in steps:
        depth[step.name] = at = 1 + max((depth.get(name, -1) for name in step.reads), default=-1)
        rows.setdefault(at, []).append(step)
    return [rows[at] for at in sorted(rows)]


def graph_picture(steps: Sequence[GraphStep]) -> str:
    """Boxes from inputs down to results, with lines from what is read to who reads it."""
    if not steps or len(steps) > MOST:
        return ""
    rows = layers(steps)
    place = {step.name: (GAP + x * (WIDTH + GAP), GAP + y * ROW)
             for y, row in enumerate(rows) for x, step in enumerate(row)}
    lines = [line(place[name], place[step.name]) for step in steps for name in step.reads
             if name in place]
    boxes = [box(step, *place[step.name]) for step in steps]
    width = GAP + max(map(len, rows)) * (WIDTH + GAP)
    return svg(width, GAP + len(rows) * ROW, [*lines, *boxes])


def svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
            f"viewBox='0 0 {width:.0f} {height:.0f}'>{''.join(parts)}</svg>")


def line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x0, y0), (x1, y1) = start, end
    return (f"<line x1='{x0 + WIDTH / 2}' y1='{y0 + HEIGHT}' x2='{x1 + WIDTH / 2}' y2='{y1}' "
            "stroke='#999'></line>")


def box(step: GraphStep, x: float, y: float) -> str:
    fill = "#eef3f7" if step.what == "input" else "#fdf6e9"
    return (f"<g><title>{escape(step.name)}: {escape(step.what)} {escape(step.type)}\n"
            f"{escape(step.place)}</title><rect x='{x}' y='{y}' width='{WIDTH}' height='{HEIGHT}' "
            f"rx='4' fill='{fill}' stroke='#888'></rect>"
            f"{text(x + 6, y + 14, f'{step.name} = {step.what}')}"
            f"{text(x + 6, y + 28, step.type)}</g>")


def text(x: float, y: float, content: str) -> str:
    shown = content if len(content) <= 26 else content[:25] + "…"
    return f"<text x='{x}' y='{y}' font-size='10'>{escape(shown)}</text>"


def timeline(records: Sequence[FrameRecord], width: float = 900) -> str:
    """A bar for each compilation, from when it began, in the colours of its stages."""
    if not records:
        return ""
    first = min(record.began for record in records)
    last = max(record.began + record.seconds for record in records)
    scale = (width - 260) / max(last - first, 1e-9)
    rows: list[str] = []
    for at, record in enumerate(records):
        x, y = 250 + (record.began - first) * scale, at * 18
        rows.append(text(0, y + 12, f"[{record.mark}] {record.name}"))
        for stage, seconds in record.stage_seconds.items():
            rows.append(f"<rect x='{x:.1f}' y='{y + 2}' width='{max(seconds * scale, 0.5):.1f}' "
                        f"height='13' fill='{COLOURS.get(stage, '#bbb')}'>"
                        f"<title>{escape(stage)}: {seconds * 1e3:.2f} ms</title></rect>")
            x += seconds * scale
    return svg(width, len(records) * 18 + 4, rows)
