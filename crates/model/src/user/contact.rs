//! Phone numbers and mail addresses: how they are compared, and how they are bound to one user.
//!
//! # The steps of binding
//!
//! The user's row in the user's shard is the truth of what contacts the user has. Whose a contact is, is told by its
//! *claim*, a row in the shard of the contact's own hash. The two shards have no commit in common, so a contact is bound
//! in steps: *reserve* the claim, *bind* it in the user's row, *confirm* the claim; and unbound in two: *unbind*, then
//! *release* the claim. A contact leads to a user only if claim and user's row name each other.
//!
//! A process may die between any two steps. The half-done state heals when a reader meets it. A caller that logs in by the
//! contact, looks it up or binds it reads the claim, then its user's row, and does what [`ContactClaim::met`] says. A job
//! meets all half-done claims once a day, and heals those that no caller meets.
//!
//! | died between | claim | user's row | the contact leads to | healed by |
//! |---|---|---|---|---|
//! | reserve and bind | reserved | has it not | no user | the user binds it at any time; for others it is taken for [`CONTACT_RESERVATION_MS`], then the reader that meets it releases it |
//! | bind and confirm | reserved | has it | the user | the reader that meets it confirms it; it is never released, at any age |
//! | confirm and release of the one that was replaced | confirmed, of the old one | has the new one | old: no user; new: the user | the reader that meets the old one releases it |
//! | unbind and release | confirmed | has it not | no user | the reader that meets it releases it |
//!
//! Commands may also arrive late, from a process that was slow:
//!
//! | late | why it does no harm |
//! |---|---|
//! | bind, after the claim was released and given to another | it is refused [`CONTACT_BIND_MS`] after the reservation, and a reservation that was not confirmed is released [`CONTACT_RESERVATION_MS`] after it at the earliest; one that was confirmed is released after an unbind, which raised the user's revision, which a bind names |
//! | confirm or release | they name the version of the claim that they mean, and every reservation is a new version |
//!
//! A claim is confirmed only by who has seen it, and then its user have the contact. So who sees a confirmed claim, and then
//! that its user has not the contact, knows that it was unbound since, and that no bind of that claim can come.
//!
//! The time between the two bounds is how far the clocks of two shards may differ.

use crate::id::{Gene, Uid};
use crate::limits::{CONTACT_BIND_MS, CONTACT_RESERVATION_MS};
use crate::stamp::Stamp;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

crate::kinds! {
    /// A way to reach a user. The code is the prefix of the text where contacts of both kinds lie together, so that they never
    /// meet. It is hashed, too.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ContactKind: code {
        /// A phone number.
        Phone = b'p',
        /// A mail address.
        Email = b'e',
    }
}

impl ContactKind {
    /// Returns the field of the API that it is given in.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Email => "email",
        }
    }
}

/// A phone number or mail address in the form in which they are stored and compared; `guanxi-texts` makes it of what a
/// caller gives. It is personal: only a call by name shows it.
///
/// A phone number is in the form of E.164: `+`, the country code, and digits in a number that the code has, without the trunk
/// prefix that is dialled at home alone. So a number is written in one way.
///
/// A mail address is a dot-atom of 1 to [`EMAIL_LOCAL_LEN_MAX`](crate::limits::EMAIL_LOCAL_LEN_MAX) ASCII characters, `@`, and a DNS name; one of
/// another alphabet is written in its `xn--` form. The domain is compared without regard to case, as domains
/// are. So is the local part: the mail server might tell `Ann` from `ann`, but people do not, and two accounts that
/// differ in case alone would be one person's mistake or another's fraud. Dots and what follows a `+` count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contact {
    kind: ContactKind,
    text: String,
}

impl Contact {
    /// Takes a contact in its stored form.
    pub const fn stored(kind: ContactKind, text: String) -> Self {
        Self { kind, text }
    }

    /// Returns whether it is a phone number or a mail address.
    pub const fn kind(&self) -> ContactKind {
        self.kind
    }

    /// Returns the normalised text, for code that stores it or shows it to its user.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Returns the shard of its claim: the low byte of the XXH3 (64 bits, seed 0) of its kind's code and its text. Frozen.
    pub fn gene(&self) -> Gene {
        let mut bytes = Vec::with_capacity(1 + self.text.len());
        bytes.push(self.kind.code());
        bytes.extend(self.text.as_bytes());
        Gene(xxh3_64(&bytes) as u8)
    }
}

impl fmt::Debug for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}(..)", self.kind)
    }
}

/// The contacts that a user has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Contacts {
    /// The phone number.
    pub phone: Option<Contact>,
    /// The mail address.
    pub email: Option<Contact>,
}

impl Contacts {
    /// Returns the contact of a kind.
    pub const fn of(&self, kind: ContactKind) -> Option<&Contact> {
        match kind {
            ContactKind::Phone => self.phone.as_ref(),
            ContactKind::Email => self.email.as_ref(),
        }
    }

    /// Returns whether a contact is among them.
    pub fn has(&self, contact: &Contact) -> bool {
        self.of(contact.kind) == Some(contact)
    }

    /// Sets the contact of a kind.
    pub fn set(&mut self, kind: ContactKind, contact: Option<Contact>) {
        match kind {
            ContactKind::Phone => self.phone = contact,
            ContactKind::Email => self.email = contact,
        }
    }
}

/// The user that has reserved a contact, or has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactClaim {
    /// The user.
    pub uid: Uid,
    /// When it was reserved; every reservation is a new version.
    pub version: Stamp,
    /// Whether the user was seen to have it after that.
    pub confirmed: bool,
}

/// What a claim that was met means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetClaim {
    /// The contact is the user's.
    Held {
        /// The claim is to be confirmed: the process that bound the contact did not come to it.
        confirm: bool,
    },
    /// The contact is of no user, and the user may be about to bind it.
    Reserved,
    /// The contact is of no user: the claim is to be released.
    Stale,
}

impl ContactClaim {
    /// Returns what the claim means to who has met it.
    ///
    /// `now_ms` must have been read first, then the claim, then whether its user has the contact: what the user has done
    /// since counts for the user.
    pub const fn met(self, user_has_it: bool, now_ms: u64) -> MetClaim {
        if user_has_it {
            MetClaim::Held { confirm: !self.confirmed }
        } else if self.confirmed || self.may_be_released(now_ms) {
            MetClaim::Stale
        } else {
            MetClaim::Reserved
        }
    }

    /// Returns whether it may be released: a reservation that was not confirmed keeps its time, since its user may be about
    /// to bind it.
    pub const fn may_be_released(self, now_ms: u64) -> bool {
        self.confirmed || now_ms >= self.version.ms().saturating_add(CONTACT_RESERVATION_MS)
    }
}

/// One step of binding a contact. The steps in the contact's shard change no user, and no event tells of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContactCommand {
    /// In the contact's shard: reserves it for a user, as a new version of the claim. Refused with `CONTACT_TAKEN` if it is
    /// claimed by another user: the refused caller looks whether that claim is stale, and releases it.
    Reserve {
        /// What.
        contact: Contact,
        /// For whom.
        uid: Uid,
    },
    /// In the user's shard: the user has the contact from now on, and no other of its kind.
    Bind {
        /// The user.
        uid: Uid,
        /// What.
        contact: Contact,
        /// The user's revision from before the reservation; another one is refused with its number.
        expected_revision: u32,
        /// The version of the reservation; refused with `DEADLINE_EXCEEDED` [`CONTACT_BIND_MS`] after it.
        reserved: Stamp,
    },
    /// In the contact's shard: notes that the user has it. Nothing happens to a claim of another version.
    Confirm {
        /// What.
        contact: Contact,
        /// The user.
        uid: Uid,
        /// The claim's version.
        version: Stamp,
    },
    /// In the user's shard: the user no longer has the contact, if it has.
    Unbind {
        /// The user.
        uid: Uid,
        /// What.
        contact: Contact,
    },
    /// In the contact's shard: removes the claim. Nothing happens to one of another version, nor to a reservation that
    /// keeps its time.
    Release {
        /// What.
        contact: Contact,
        /// The user that has the claim.
        uid: Uid,
        /// The claim's version.
        version: Stamp,
    },
}

impl ContactCommand {
    /// Returns for whom it is done.
    pub const fn uid(&self) -> Uid {
        match self {
            Self::Reserve { uid, .. }
            | Self::Bind { uid, .. }
            | Self::Confirm { uid, .. }
            | Self::Unbind { uid, .. }
            | Self::Release { uid, .. } => *uid,
        }
    }

    /// Returns the contact.
    pub const fn contact(&self) -> &Contact {
        match self {
            Self::Reserve { contact, .. }
            | Self::Bind { contact, .. }
            | Self::Confirm { contact, .. }
            | Self::Unbind { contact, .. }
            | Self::Release { contact, .. } => contact,
        }
    }

    /// Returns the shard whose rows it changes: the contact's or the user's.
    pub fn gene(&self) -> Gene {
        match self {
            Self::Reserve { contact, .. } | Self::Confirm { contact, .. } | Self::Release { contact, .. } => {
                contact.gene()
            }
            Self::Bind { uid, .. } | Self::Unbind { uid, .. } => uid.gene(),
        }
    }

    /// Returns whether a contact that was reserved as a version may still be bound.
    pub const fn may_be_bound(reserved: Stamp, now_ms: u64) -> bool {
        now_ms < reserved.ms().saturating_add(CONTACT_BIND_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored contacts with their genes. These never change: rows on disk hold them.
    #[test]
    fn genes_of_contacts_are_frozen() {
        for (kind, text, gene) in [
            (ContactKind::Phone, "+14155550100", 0x71),
            (ContactKind::Phone, "+8613800138000", 0x58),
            (ContactKind::Phone, "+12", 0xcd),
            (ContactKind::Email, "ann@example.org", 0xc3),
            (ContactKind::Email, "a.b+c@xn--fsqu00a.example", 0x0e),
            (ContactKind::Email, "o'hara!#$%@localhost", 0x05),
        ] {
            assert_eq!(Contact::stored(kind, text.to_owned()).gene(), Gene(gene), "{text}");
        }
        let both = ContactKind::ALL.map(|kind| Contact::stored(kind, "+12".into()));
        assert_ne!(both[0].gene(), both[1].gene(), "the kind is hashed, too");
    }

    #[test]
    fn a_contact_does_not_show_itself() {
        let phone = Contact::stored(ContactKind::Phone, "+14155550100".into());
        let contacts = Contacts { phone: Some(phone.clone()), email: None };
        let reserve = ContactCommand::Reserve { contact: phone, uid: Uid::MIN };
        assert!(!format!("{contacts:?} {reserve:?}").contains("415"));
    }

    #[test]
    fn a_claim_is_stale_when_nobody_has_its_contact_and_its_time_is_over() {
        let at = |ms| Stamp::from_ms(ms);
        let claim = |confirmed| ContactClaim { uid: Uid::MIN, version: at(1_000), confirmed };
        let over = 1_000 + CONTACT_RESERVATION_MS;
        for (confirmed, has, now_ms, met) in [
            (false, false, 1_000, MetClaim::Reserved),
            (false, false, over - 1, MetClaim::Reserved),
            (false, false, over, MetClaim::Stale),
            (true, false, 1_000, MetClaim::Stale),
            (false, true, over, MetClaim::Held { confirm: true }),
            (true, true, over, MetClaim::Held { confirm: false }),
        ] {
            assert_eq!(claim(confirmed).met(has, now_ms), met, "{confirmed} {has} {now_ms}");
        }
        assert!(ContactCommand::may_be_bound(at(1_000), 999 + CONTACT_BIND_MS));
        assert!(!ContactCommand::may_be_bound(at(1_000), 1_000 + CONTACT_BIND_MS));
        const { assert!(CONTACT_BIND_MS < CONTACT_RESERVATION_MS) };
    }
}
