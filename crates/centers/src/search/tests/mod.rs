//! What a search answers, against asking for every post by its id.

mod histories;
mod indexed;
mod rules;
mod world;
