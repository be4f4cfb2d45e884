"""The page that a study or a run leaves behind: one file, complete in itself.

The page holds its data, its style and the Vega-Lite library, and asks the network for nothing;
its own content policy forbids it to. It works in light and dark, wide and narrow.
"""
