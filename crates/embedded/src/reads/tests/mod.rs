//! What reads cost, by the counts of the engine.

mod handled;
