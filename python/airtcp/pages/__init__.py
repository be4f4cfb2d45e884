"""How a page is made: the report of a result, one self-contained HTML file.

The page holds its data, its style and the Vega-Lite library. It loads nothing from the network; its
content policy forbids it. It supports light and dark schemes, and wide and narrow windows.
"""
