"""From a packet capture to a remedy: the fit of the link, its replay, and the answers.

| file | holds |
|---|---|
| `points` | which of several captures of a transfer is used |
| `transfer` | what a capture shows of one transfer |
| `delivery` | the rates at which data arrived |
| `exact` | exact intervals of counts and shares |
| `losses` | the loss process, with its bursts |
| `model` | a link and a transfer as a scenario |
| `replay` | a replay in simulation, measured by the analysis of captures |
| `matching` | rate, queue and origin of the losses, by matching replays with the capture |
| `air` | the link measured on the air beside a host |
| `linkfit` | the fitted link, each parameter with interval and source |
| `answers` | other TCPs, remedies and receive windows on the link |
| `result` | the document, its tables and its page |
"""
