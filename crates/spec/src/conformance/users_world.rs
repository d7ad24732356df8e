//! Users, in the words that the cases are written in.

use super::rng::in_gene;
use super::{Rng, World, u};
use guanxi_model::limits::CONTACT_RESERVATION_MS;
use guanxi_model::user::{
    Contact, ContactCommand, ContactKind, Contacts, ImportUser, PasswordHash, Privacy, PrivacyPatch, Profile,
    ProfilePatch, Registration, Sex, Standing, UserCommand, UserOutcome, UserStatus,
};
use guanxi_model::{Gene, LoginName, PostId, Stamp, Uid, User, Write};
use guanxi_ports::StoreView;
use guanxi_ports::Walk;
use std::collections::BTreeMap;

/// A login name.
pub fn name(given: &str) -> LoginName {
    LoginName::stored(given.to_owned())
}

/// A uid as an account of a name gets it.
pub fn uid_for(name: &LoginName, salt: u16) -> Uid {
    Uid::minted(PostId::EPOCH_MS + 9, salt, name.gene()).unwrap()
}

/// A stored password.
pub fn hash(text: &str) -> PasswordHash {
    PasswordHash::new(format!("$test${text}")).unwrap()
}

/// The choice to be found by no other user.
pub fn hidden_from_lookup() -> PrivacyPatch {
    PrivacyPatch { discoverable: Some(false), ..PrivacyPatch::default() }
}

/// A profile with a nickname.
pub fn nicknamed(nickname: &str) -> Profile {
    Profile { nickname: nickname.to_owned(), ..Profile::default() }
}

/// The registration of an account with the password "first".
pub fn account(given: &str, salt: u16) -> Registration {
    let login_name = name(given);
    let uid = uid_for(&login_name, salt);
    Registration { uid, login_name, password: Some(hash("first")), profile: nicknamed(given) }
}

/// What a backend says of a user: what is kept, how it stands, whose its login name is, and its password.
pub type UserPortrait = (Option<User>, Standing, Option<Uid>, Option<PasswordHash>);

/// What a view says of users.
pub async fn portraits(view: &dyn StoreView, uids: &[Uid], with_passwords: bool) -> Vec<UserPortrait> {
    let mut portraits = Vec::new();
    let standings = view.standings(uids).await.unwrap();
    let users = view.users(uids).await.unwrap();
    assert!(
        !view.all_stand_by_default() || standings.iter().all(|standing| *standing == Standing::default())
    );
    for ((uid, user), standing) in uids.iter().zip(users).zip(standings) {
        let login_name = user.as_ref().and_then(|user| user.login_name.as_ref());
        let named = match login_name {
            Some(name) => view.uid_of(name).await.unwrap(),
            None => None,
        };
        let password = if with_passwords { view.password(*uid).await.unwrap() } else { None };
        portraits.push((user, standing, named, password));
    }
    portraits
}

impl World {
    /// Does one operation on a user.
    pub async fn user(&self, command: UserCommand) -> UserOutcome {
        self.write(Write::of(command)).await.user().unwrap()
    }

    /// Registers an account, which must be new.
    pub async fn register(&self, registration: Registration) -> Uid {
        let outcome = self.user(UserCommand::Register(registration)).await;
        assert_eq!((outcome.result, outcome.revision), (Ok(true), 1));
        outcome.uid
    }
}

/// A phone number.
pub fn phone(n: u64) -> Contact {
    Contact::stored(ContactKind::Phone, format!("+1415555{n:04}"))
}

/// A mail address.
pub fn email(n: u64) -> Contact {
    Contact::stored(ContactKind::Email, format!("user{n}@example.org"))
}

/// Random writes of users: few of them, so that they meet.
pub struct RandomUsers {
    rng: Rng,
    /// The gene of all users, if they have one.
    gene: Option<Gene>,
    names: Vec<LoginName>,
    everybody: Vec<Uid>,
    /// When contacts were reserved, mostly; newest last.
    reserved: Vec<Stamp>,
}

impl RandomUsers {
    /// Draws from these numbers, of users who all have a gene if one is given.
    pub fn new(rng: Rng, gene: Option<Gene>) -> Self {
        Self { rng, gene, names: names(gene), everybody: Self::everybody(gene), reserved: Vec::new() }
    }

    /// Everything that the writes bind.
    pub fn contacts() -> Vec<Contact> {
        vec![phone(1), phone(2), email(1)]
    }

    /// How long it is until the next write: now and then as long as a reservation is kept.
    pub fn pause(&mut self) -> u64 {
        if self.rng.below(12) == 0 { CONTACT_RESERVATION_MS } else { 1_000 }
    }

    /// Returns all users whom the writes are about: accounts that may be, and users without one.
    pub fn everybody(gene: Option<Gene>) -> Vec<Uid> {
        let users = names(gene).into_iter().flat_map(|name| (0..3).map(move |salt| uid_for(&name, salt)));
        users.chain((1..=3).map(|n| u(in_gene(gene, n)))).collect()
    }

    fn user(&mut self) -> Uid {
        *self.rng.pick(&self.everybody)
    }

    fn text(&mut self) -> String {
        format!("text {}", self.rng.below(3))
    }

    fn privacy(&mut self) -> PrivacyPatch {
        let mut choice = || (self.rng.below(2) == 0).then(|| self.rng.below(2) == 0);
        PrivacyPatch {
            discoverable: choice(),
            locked: choice(),
            hides_following: choice(),
            hides_followers: choice(),
        }
    }

    fn password(&mut self) -> PasswordHash {
        hash(&self.rng.below(3).to_string())
    }

    fn patch(&mut self) -> ProfilePatch {
        let some = |play: &mut Self| play.rng.below(3) == 0;
        ProfilePatch {
            nickname: some(self).then(|| self.text()),
            sex: some(self).then(|| *self.rng.pick(&[Sex::Unspecified, Sex::Female, Sex::Male, Sex::Other])),
            birth_year: some(self).then(|| self.rng.pick(&[None, Some(1_990), Some(3)]).to_owned()),
            bio: some(self).then(|| self.text()),
            avatar: some(self).then(|| self.text()),
            attributes: some(self).then(|| {
                let keys = (0..self.rng.below(3)).map(|key| key.to_string());
                keys.map(|key| (key, "v".to_owned())).collect::<BTreeMap<_, _>>()
            }),
        }
    }

    /// One step of binding or unbinding, of few users, so that they follow each other.
    fn contact(&mut self, now_ms: u64) -> UserCommand {
        let contact = self.rng.pick(&Self::contacts()).clone();
        let uid = u(in_gene(self.gene, 1 + self.rng.below(2)));
        let version = match self.rng.below(4) {
            0 => self.reserved.first(),
            _ => self.reserved.last(),
        };
        let version = version.copied().unwrap_or(Stamp::ZERO);
        UserCommand::from(match self.rng.below(6) {
            0 | 1 => {
                self.reserved.push(Stamp::from_ms(now_ms));
                ContactCommand::Reserve { contact, uid }
            }
            2 => {
                let expected_revision = self.rng.below(6) as u32;
                ContactCommand::Bind { uid, contact, expected_revision, reserved: version }
            }
            3 => ContactCommand::Confirm { contact, uid, version },
            4 => ContactCommand::Unbind { uid, contact },
            _ => ContactCommand::Release { contact, uid, version },
        })
    }

    /// One operation that leaves contacts alone: of theirs single steps leave something over.
    pub fn command_without_contacts(&mut self, now_ms: u64) -> UserCommand {
        loop {
            match self.command(now_ms) {
                UserCommand::Contact(_) => {}
                UserCommand::Import { user, .. } if user.contacts != Contacts::default() => {}
                command => return command,
            }
        }
    }

    /// One operation.
    pub fn command(&mut self, now_ms: u64) -> UserCommand {
        if self.rng.below(3) == 0 {
            return self.contact(now_ms);
        }
        let uid = self.user();
        match self.rng.below(12) {
            10 => UserCommand::TakeDown { uid, reason: self.text() },
            11 => UserCommand::Reinstate { uid },
            0..3 => {
                let login_name = self.rng.pick(&self.names).clone();
                let salt = self.rng.below(3) as u16;
                let uid = if self.rng.below(9) == 0 { uid } else { uid_for(&login_name, salt) };
                let password = (self.rng.below(4) > 0).then(|| self.password());
                let profile = self.patch().apply(&Profile::default());
                UserCommand::Register(Registration { uid, login_name, password, profile })
            }
            3 | 4 => {
                let expected_revision = (self.rng.below(3) == 0).then(|| self.rng.below(4) as u32);
                UserCommand::Update { uid, patch: self.patch(), expected_revision }
            }
            5 => UserCommand::SetPrivacy { uid, patch: self.privacy() },
            6 | 7 => UserCommand::SetPassword {
                uid,
                password: self.password(),
                replaces: (self.rng.below(2) == 0).then(|| self.password()),
            },
            8 => {
                let erase_at_ms = self.rng.below(3);
                let status = *self.rng.pick(&[
                    UserStatus::Active,
                    UserStatus::Deactivated,
                    UserStatus::Active,
                    UserStatus::Deleted { erase_at_ms },
                    UserStatus::Erased { at_ms: 7 },
                ]);
                UserCommand::SetStatus { uid, status }
            }
            _ => self.import(uid, now_ms),
        }
    }

    /// A user from elsewhere, of a name or of none.
    fn import(&mut self, uid: Uid, now_ms: u64) -> UserCommand {
        let login_name = (self.rng.below(2) == 0).then(|| self.rng.pick(&self.names).clone());
        let uid = login_name.as_ref().map_or(uid, |name| uid_for(name, self.rng.below(3) as u16));
        let has_contacts = self.rng.below(2) == 0;
        let reserved = [0, 1].map(|_| (self.rng.below(4) > 0).then(|| Stamp::from_ms(now_ms)));
        let contacts = if has_contacts {
            Contacts { phone: Some(phone(2)), email: (self.rng.below(2) == 0).then(|| email(1)) }
        } else {
            Contacts::default()
        };
        let user = ImportUser {
            password: login_name.is_some().then(|| self.password()),
            login_name,
            profile: self.patch().apply(&Profile::default()),
            registered_ms: (self.rng.below(2) == 0).then(|| now_ms - self.rng.below(9_000)),
            privacy: self.privacy().apply(Privacy::default()),
            is_deactivated: self.rng.below(3) == 0,
            contacts,
            ..ImportUser::unknown(uid)
        };
        UserCommand::Import { user: Box::new(user), reserved }
    }
}

/// Names of random worlds.
const NAMES: usize = 4;

/// Returns the user of each name of random worlds, the users to erase and the erased ones, and all users of whom
/// anything is kept.
pub async fn names_and_deleted(
    view: &dyn StoreView,
) -> (Vec<Option<Uid>>, Vec<(u64, Uid)>, Vec<(Uid, u64)>, Vec<User>) {
    let mut named = Vec::new();
    for name in names(None) {
        named.push(view.uid_of(&name).await.unwrap());
    }
    let (deleted, erased) =
        (view.deleted_users(Walk::new(None, 100)).await, view.erased_users(Walk::new(None, 100)).await);
    (named, deleted.unwrap(), erased.unwrap(), view.all_users(Walk::new(None, 100)).await.unwrap())
}

/// The first names, of a gene if one is given.
fn names(gene: Option<Gene>) -> Vec<LoginName> {
    let all = (0_u32..).map(|n| name(&format!("name{n}")));
    all.filter(|name| gene.is_none_or(|gene| name.gene() == gene)).take(NAMES).collect()
}
