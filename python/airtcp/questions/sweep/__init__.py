"""Sweeps: one scenario, study or comparison at many points.

`sweep_file` reads the file of a sweep, `plan` gives its points, `tasks` runs one, `local` and
`cluster` run many, `store` keeps the results, and `coordinate` connects these parts.
"""
