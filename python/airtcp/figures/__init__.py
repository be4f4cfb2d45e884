"""Figures: the charts of a page as light, opaque pictures for paper.

A page holds its charts, and the data that they show, as JSON. Figures are read from the page, so
that they show the same numbers, and a new chart of a page is a figure without more work. The parts:
`page_parts` reads a page, `data` gives each chart its data as the scripts of the page do, `draw`
completes a chart for paper, and `figure` makes the files.
"""
