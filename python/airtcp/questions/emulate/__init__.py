"""The page of an emulated run."""
