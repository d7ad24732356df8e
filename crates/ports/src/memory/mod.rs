//! The in-memory backend: the specification.
