//! The reorder buffer against a simple model, on random arrivals.
