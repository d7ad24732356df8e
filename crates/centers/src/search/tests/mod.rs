//! What a search answers, against asking for every post by its id, and for every user.

mod histories;
mod indexed;
mod oracle;
mod proof;
mod rows;
mod rules;
mod users;
mod world;
