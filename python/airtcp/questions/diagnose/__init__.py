"""From a packet capture to a remedy: the link by the timing of its packets, and predictions.

| file | holds |
|---|---|
| `points` | which of several captures of a transfer is used |
| `transfer` | what a capture shows of one transfer |
| `exact` | exact intervals of counts and shares |
| `losses` | the loss process, with its bursts |
| `air` | the link measured on the air beside a host |
| `link` | the link that the capture shows, each parameter with interval and source |
| `other_links` | links and senders that one rate and one queue do not describe |
| `model` | a link and a transfer as a scenario |
| `posterior` | links that the capture allows |
| `predict` | replays over them, and what each TCP would get |
| `check` | whether replays come near the transfer |
| `limits` | what limits the transfer, by replays without it |
| `pipeline` | the steps in order |

The measurements themselves are in the Rust module `capture::bottleneck`.
"""
