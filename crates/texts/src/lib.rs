//! Texts as callers give them, brought to the form in which the model stores and compares them.
//!
//! The model knows stored forms alone: a backend reads names that an older Unicode normalised, and must not change them.
//! The tables of Unicode that normalising takes are a dependency of this crate, so that `guanxi-model` and all that is
//! built on it need not wait for them.

mod contact;
mod freeform;
#[cfg(test)]
mod fuzz;
mod login_name;
mod password;
mod phone;
mod shown;

pub use contact::contact;
pub use login_name::{NamedBy, login_name, new_login_name};
pub use password::normal_password;
pub use shown::{device, group_name, message, nickname};
