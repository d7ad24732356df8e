//! The traits a backend implements, wrappers of them, the in-memory backend that is their specification, and the conformance suite.
