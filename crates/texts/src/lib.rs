//! Texts as callers give them, brought to the form in which the model stores and compares them.
//!
//! The model knows stored forms alone: a backend reads names that an older Unicode normalised, and must not change them.
//! The tables of Unicode that normalising takes are a dependency of this crate, so that `guanxi-model` and all that is
//! built on it need not wait for them.
//!
//! # What it is not
//!
//! - It is not about searching: what a word is, and what a query finds, is in `guanxi-text`.
//! - It hashes no password. `guanxi-centers` does, with the form that [`normal_password`] returns.
//! - It does not know which names are taken. The planner in `guanxi-model` decides that over the rows of a store.
//!
//! # Main functions
//!
//! - [`login_name()`] returns the name by which an account is looked for, [`new_login_name`] one for a new account.
//! - [`contact()`] returns a phone number or mail address in its stored form.
//! - [`nickname`], [`group_name`], [`device`] and [`message`] check texts that users read, and change nothing in them.
//!
//! # Example
//!
//! ```
//! use guanxi_model::user::ContactKind;
//! use guanxi_texts::{NamedBy, contact, login_name, new_login_name, nickname};
//!
//! // Case and width do not count in a login name, and it is shown as it was given.
//! let name = login_name("Ｚoë")?;
//! assert_eq!((name.as_str(), name.shown()), ("zoë", "Ｚoë"));
//! assert_eq!(contact(ContactKind::Email, "Zoe@Example.org")?.expose(), "zoe@example.org");
//!
//! // A user may not take a mail address as its login name: it may be the address of another.
//! assert!(new_login_name("zoe@example.org", NamedBy::Itself).is_err());
//! // No nickname turns the direction of the text around.
//! assert!(nickname("\u{202e}eoZ").is_err());
//! # Ok::<(), guanxi_model::Error>(())
//! ```
//!
//! # Where to begin
//!
//! - `login_name.rs`: which names are the same name, and which names does a new account not get?
//! - `contact.rs` and `phone.rs`: what is an address, and in which one form is a number written?
//! - `shown.rs`: which characters may a text have that others read?

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
