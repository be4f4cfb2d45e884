"""How a picture is drawn: Vega-Lite from parts, the theme, figures for paper."""
