//! What each row of a dump is to the shards. Rows that follow from others are made of those, or are indexes here.

use super::DumpedSecrets;
use super::loader::{LoadRowError, Loader};
use crate::rows::{FanRow, FollowRow, UserRow, UserStanding, original_of};
use guanxi_model::affinity::Score;
use guanxi_model::stored::decode_audit_entry;
use guanxi_model::{ExternalId, LogId, LogMark, LoginName, Position, PostId, Stamp, Uid};
use guanxi_ports::MarkKind;
use guanxi_rows::layout::{
    AFFINITY, ANSWER, ANSWER_TIME, AUDIT, AUTHOR, AnswerValue, BLOCK, CLAIM, COOLDOWN, COUNTERS, CREDENTIAL,
    CountersValue, DELETED_POST, DELETED_USER, DISMISSED, DISMISSED_BY, ERASED_ID, ERASED_ID_KEY,
    ERASED_USER, EXTERNAL_ID, EXTERNAL_UID, ErasedIdKey, FORGOTTEN_KEY, ForwardValue, GROUP_MEMBER,
    GROUP_NUMBER, IDS_KEY, JOB, LIKE, LIKE_OF_USER, LIKE_TIME, LOGIN_NAME, MARKED_BY, MEMBER_OF, MUTE, NAME,
    PAIR_END, PASSWORD, POLICY_KEY, POST_STATS, PostValue, REPOST_OF, REPOSTED, REQUEST, REQUESTS_SEEN,
    REVISION, SCORED_BY, SEEN, SENT_REQUEST, SESSION, SESSION_END, SESSION_OF_USER, SIGNED_OUT, SOURCE,
    STANDING, STATE_KEY, SeenMark, TOMBSTONE, UIDS_KEY, UNLOCKING, UNNOTED_KEY, UPGRADE_KEY, USER,
    USER_GROUP, decode_author, decode_claim, decode_credential, decode_group, decode_group_number,
    decode_mute, decode_number, decode_password, decode_past_request, decode_policy, decode_request,
    decode_revision, decode_session, decode_stamp, decode_stats, decode_user, is_session_name,
    parse_audit_key, parse_claim_key, parse_erased_id_key, parse_external_uid_key, parse_forward_key,
    parse_group_key, parse_group_member_key, parse_like_key, parse_login_name_key, parse_mark_prefix,
    parse_of_post_key, parse_other_name_key, parse_pair_key, parse_post_key, parse_revision_key,
    parse_session_key, parse_source_key, parse_user_key,
};

type Taken = Result<(), LoadRowError>;

/// What cannot be read is damaged.
fn sound<T>(value: Option<T>) -> Result<T, LoadRowError> {
    value.ok_or(LoadRowError::Damaged)
}

fn uid_of(value: &[u8]) -> Option<Uid> {
    Uid::new(decode_number(value)?).ok()
}

fn text_of(value: &[u8]) -> Option<String> {
    Some(std::str::from_utf8(value).ok()?.to_owned())
}

impl Loader {
    /// A follow that stands: in both shards.
    pub(super) fn follow(&mut self, key: &[u8], value: &[u8]) -> Taken {
        let (pair, follow) = sound(parse_forward_key(key).zip(ForwardValue::decode(value)))?;
        let ForwardValue { at, version, friends_since } = follow;
        let row = FollowRow { at, version, active: true, friend_at: friends_since };
        self.fill_of(pair.0, |filling| filling.rows.load_follow(pair, row));
        self.fill_of(pair.1, |filling| filling.rows.load_fan(pair, FanRow { at, version, active: true }));
        Ok(())
    }

    /// A record.
    pub(super) fn record(&mut self, key: &[u8], value: &[u8]) -> Taken {
        let prefix = *sound(key.first())?;
        match prefix {
            // Of a directory alone, or indexes of other rows.
            MEMBER_OF | DISMISSED_BY | SCORED_BY | DELETED_POST | UNNOTED | SESSION_OF_USER | STATE
            | UPGRADE | STANDING | SESSION_END | DELETED_USER | ERASED_USER | ANSWER_TIME | LIKE_OF_USER
            | LIKE_TIME | MARKED_BY | SENT_REQUEST | REPOSTED | REPOST_OF | PAIR_END | UIDS | EXTERNAL_ID => {
                Ok(())
            }
            BLOCK | MUTE | TOMBSTONE => self.mark(prefix, key, value),
            COUNTERS | REQUESTS_SEEN | UNLOCKING | SEEN | SIGNED_OUT => self.of_user(prefix, key, value),
            USER | LOGIN_NAME | PASSWORD | CLAIM | EXTERNAL_UID | ERASED_ID => {
                self.account(prefix, key, value)
            }
            REQUEST | COOLDOWN => self.request(prefix, key, value),
            USER_GROUP | GROUP_NUMBER | GROUP_MEMBER => self.group(prefix, key, value),
            DISMISSED | AFFINITY => self.suggestion(prefix, key, value),
            AUTHOR | SOURCE | NAME | REVISION | POST_STATS | LIKE => self.of_post(prefix, key, value),
            SESSION | CREDENTIAL => self.secret(prefix, key, value),
            ANSWER | AUDIT | JOB | POLICY | IDS | KEY_OF_ERASED => self.setting(prefix, key, value),
            _ => Err(LoadRowError::Damaged),
        }
    }

    fn mark(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        let pair = sound(parse_pair_key(key))?;
        match parse_mark_prefix(prefix) {
            Some(MarkKind::Mute) => {
                let (at, terms) = sound(decode_mute(value))?;
                self.fill_of(pair.0, |filling| filling.rows.load_mute(pair, at, terms));
            }
            Some(MarkKind::Block) => {
                let at = sound(decode_stamp(value))?;
                self.fill_of(pair.0, |filling| filling.rows.load_block(pair, at));
                self.fill_of(pair.1, |filling| filling.rows.load_blocked_by(pair, at));
            }
            Some(MarkKind::RemovedFollow) => {
                let version = sound(decode_stamp(value))?;
                let row = FollowRow { at: version, version, active: false, friend_at: None };
                self.fill_of(pair.0, |filling| filling.rows.load_follow(pair, row));
            }
            None => return Err(LoadRowError::Damaged),
        }
        Ok(())
    }

    fn of_user(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        if key == FORGOTTEN_KEY {
            let at_ms = sound(decode_number(value))?;
            self.fill_all(|filling| filling.loose.forgotten_ms = Some(at_ms));
            return Ok(());
        }
        let uid = sound(parse_user_key(key))?;
        let (history, seen) = (self.history, (prefix == SEEN).then(|| SeenMark::decode(value)));
        let Some(filling) = self.of(uid) else { return Ok(()) };
        match prefix {
            COUNTERS => {
                let CountersValue { counts, limit, changed, asks, .. } = sound(CountersValue::decode(value))?;
                let row = UserRow {
                    counts,
                    follow_limit: limit,
                    audience_seq: changed,
                    sent: asks,
                    ..UserRow::default()
                };
                filling.rows.load_user(uid, row);
            }
            REQUESTS_SEEN => filling.loose.requests_seen.push((uid, sound(decode_stamp(value))?)),
            UNLOCKING => filling.rows.load_unlocking(uid, sound(decode_stamp(value))?),
            SIGNED_OUT => filling.rows.load_signed_out(uid, sound(decode_number(value))?),
            _ => {
                let marks = match sound(seen.flatten())? {
                    SeenMark::Same(seq) => (0..=u8::MAX).map(|gene| (gene, seq)).collect(),
                    SeenMark::Each(marks) => marks,
                };
                let mark = |(gene, seq)| (LogId(gene), LogMark { seen: seq, acted: 0 });
                filling.rows.load_seen(uid, Position::sparse(history, marks.into_iter().map(mark)));
            }
        }
        Ok(())
    }

    fn account(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        match prefix {
            USER => {
                let uid = sound(parse_user_key(key))?;
                let user = sound(decode_user(uid, value))?;
                if let Some(standing) = UserStanding::of_account(&user) {
                    self.fill_all(|filling| filling.loose.standings.push(standing));
                }
                self.fill_of(uid, |filling| filling.rows.load_account(user));
            }
            LOGIN_NAME => {
                let (name, uid): (LoginName, Uid) = sound(parse_login_name_key(key).zip(uid_of(value)))?;
                self.fill_at(name.gene(), |filling| filling.rows.load_login_name(name, uid));
            }
            PASSWORD => {
                let (uid, hash) = sound(parse_user_key(key).zip(decode_password(value)))?;
                self.fill_of(uid, |filling| filling.rows.load_password(uid, hash));
            }
            CLAIM => {
                let (contact, claim) = sound(parse_claim_key(key).zip(decode_claim(value)))?;
                self.fill_at(contact.gene(), |filling| filling.rows.load_claim(contact, claim));
            }
            ERASED_ID => {
                let (gene, hash) = sound(parse_erased_id_key(key))?;
                self.fill_at(gene, |filling| filling.rows.load_erased_id(gene, hash));
            }
            _ => {
                let (id, uid): (ExternalId, Uid) = sound(parse_external_uid_key(key).zip(uid_of(value)))?;
                self.fill_at(id.gene(), |filling| filling.rows.load_external_id(id, uid));
            }
        }
        Ok(())
    }

    fn request(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        if prefix == COOLDOWN {
            let ((owner, other), past) = sound(parse_pair_key(key).zip(decode_past_request(value)))?;
            self.fill_of(owner, |filling| filling.loose.past.push((owner, other, past)));
            let rejected = past.rejected_until_ms().map(|until_ms| (other, owner, until_ms));
            self.fill_of(other, |filling| filling.loose.rejected_by.extend(rejected));
            return Ok(());
        }
        let request = sound(decode_request(key, value))?;
        self.fill_of(request.receiver, |filling| filling.loose.requests.push(request.clone()));
        self.fill_of(request.sender, |filling| filling.loose.sent.push(request));
        Ok(())
    }

    fn group(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        match prefix {
            USER_GROUP => {
                let (owner, id) = sound(parse_group_key(key))?;
                let group = sound(decode_group(owner, id, value))?;
                self.fill_of(owner, |filling| filling.rows.load_group(group));
            }
            GROUP_NUMBER => {
                let (owner, last) = sound(parse_user_key(key).zip(decode_group_number(value)))?;
                self.fill_of(owner, |filling| filling.rows.load_group_number(owner, last));
            }
            _ => {
                let ((owner, id, member), at) = sound(parse_group_member_key(key).zip(decode_stamp(value)))?;
                self.fill_of(owner, |filling| filling.rows.load_member(owner, id, member, at));
            }
        }
        Ok(())
    }

    fn suggestion(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        let number = sound(decode_number(value))?;
        if let Some(actor) = parse_user_key(key).filter(|_| prefix == AFFINITY) {
            self.fill_of(actor, |filling| filling.rows.load_half_life(actor, number));
            return Ok(());
        }
        let (actor, uid) = sound(parse_pair_key(key))?;
        let Some(filling) = self.of(actor) else { return Ok(()) };
        if prefix == AFFINITY {
            filling.rows.load_affinity(actor, uid, Score::from_raw(number));
        } else {
            filling.rows.load_dismissed(actor, uid, Stamp::from_raw(number));
        }
        Ok(())
    }

    fn of_post(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        match prefix {
            AUTHOR => {
                let (uid, author) = sound(parse_user_key(key).zip(decode_author(value)))?;
                self.fill_of(uid, |filling| filling.rows.load_author(uid, author));
            }
            SOURCE => {
                let (author, name) = sound(parse_source_key(key))?;
                let id = sound(decode_number(value).and_then(|raw| PostId::new(raw).ok()))?;
                self.fill_of(author, |filling| filling.rows.load_source(author, name.to_owned(), id));
            }
            // The other names of posts are known by those of sources.
            NAME if parse_other_name_key(key).is_some() => {}
            NAME => self.names.note(sound(parse_of_post_key(key))?, &sound(text_of(value))?)?,
            REVISION => {
                let (id, revision) = sound(parse_revision_key(key))?;
                let revision = sound(decode_revision(revision, value))?;
                self.fill_at(id.gene(), |filling| filling.rows.load_revision(id, revision));
            }
            POST_STATS => {
                let (id, stats) = sound(parse_of_post_key(key).zip(decode_stats(value)))?;
                self.fill_at(id.gene(), |filling| filling.rows.load_stats(id, stats));
            }
            _ => {
                let ((id, uid), at) = sound(parse_like_key(key).zip(decode_stamp(value)))?;
                self.fill_of(uid, |filling| filling.rows.load_liked(uid, id, at));
                self.fill_at(id.gene(), |filling| filling.rows.load_liker(uid, id, at));
            }
        }
        Ok(())
    }

    fn secret(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        self.tokens += u64::from(prefix == SESSION || !is_session_name(value));
        if self.secrets == DumpedSecrets::Revoke {
            self.left_out += 1;
            return Ok(());
        }
        if prefix == CREDENTIAL {
            let credential = sound(decode_credential(&key[1..], value))?;
            self.fill_first(|filling| filling.loose.credentials.push(credential));
            return Ok(());
        }
        let session = sound(parse_session_key(key).and_then(|id| decode_session(id, value)))?;
        self.fill_of(session.uid, |filling| filling.loose.sessions.push(session));
        Ok(())
    }

    fn setting(&mut self, prefix: u8, key: &[u8], value: &[u8]) -> Taken {
        match prefix {
            ANSWER => {
                let hash = sound(key[1..].try_into().ok().map(u128::from_be_bytes))?;
                let answer = sound(AnswerValue::decode(value))?;
                self.fill_all(|filling| filling.loose.answers.push((hash, answer.clone())));
            }
            AUDIT => {
                let id = sound(parse_audit_key(key))?;
                let entry = sound(decode_audit_entry(id, value))?;
                self.fill_first(|filling| filling.loose.audit.push(entry));
            }
            JOB => {
                let (job, position) = sound(text_of(&key[1..]).zip(decode_number(value)))?;
                self.fill_first(|filling| filling.loose.jobs.push((job, position)));
            }
            POLICY => {
                let policy = sound(decode_policy(value))?;
                self.fill_first(|filling| filling.loose.policy = Some(policy));
            }
            KEY_OF_ERASED => {
                let erased_id_key = sound(ErasedIdKey::decode(value))?;
                self.fill_first(|filling| filling.loose.erased_id_key = Some(erased_id_key));
            }
            _ => self.post_high = sound(decode_number(value))?,
        }
        Ok(())
    }

    /// A post, and what the shard of its original knows of it.
    pub(super) fn post(&mut self, key: &[u8], value: &[u8]) -> Taken {
        let id = sound(parse_post_key(key))?;
        let PostValue { mut post, .. } = sound(PostValue::decode(id, value))?;
        let (name, version) = (self.names.of(id)?, self.clock());
        let header = &mut post.header;
        header.event = header.event.map(|event| guanxi_model::EventAt::new(LogId(id.gene().0), event.seq()));
        if let Some((original, _)) = original_of(header.kind).filter(|_| !post.header.deleted) {
            self.fill_at(original.gene(), |filling| filling.rows.load_reference(original, &post, version));
        }
        self.fill_at(id.gene(), |filling| filling.rows.load_post(post, name));
        Ok(())
    }
}

/// The prefixes of rows that have but one key.
const UNNOTED: u8 = UNNOTED_KEY[0];
const STATE: u8 = STATE_KEY[0];
const UPGRADE: u8 = UPGRADE_KEY[0];
const UIDS: u8 = UIDS_KEY[0];
const POLICY: u8 = POLICY_KEY[0];
const IDS: u8 = IDS_KEY[0];
const KEY_OF_ERASED: u8 = ERASED_ID_KEY[0];
