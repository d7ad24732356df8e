//! The words of guanxi: ids, edges, the pair state machine, pages, limits and errors. Pure: no I/O, no async.
