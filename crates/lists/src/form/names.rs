//! The names that columns of follows, blocks and mutes have elsewhere, and what they say.

use super::{Side, TableForm};

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The user that follows, blocks or mutes.
    Source,
    /// The user that is followed, blocked or muted.
    Target,
    /// Since when.
    Time,
    /// The posts that a mute leaves out: `all` or `reposts`.
    Scope,
    /// When a mute ends by itself.
    Until,
    /// Nothing that is imported.
    Ignored,
}

/// The meaning of a column's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It says what the column is; one of another program's list is not imported.
    Column(Column),
    /// It is the other of source and target, whichever that is.
    User,
    /// It is the number of the row in its table.
    Row,
    /// It is one of source and target, and does not say which.
    Unclear,
}

/// Names of columns with spaces between, without case, spaces, `_`, `-` and what [`ENDINGS`] has.
const NAMES: [(Meaning, &str); 9] = [
    (
        Meaning::Column(Column::Source),
        "source src subject from follower fan blocker muter actor initiator who fromnode userfrom \
         nodefrom sender origin start 关注者 粉丝 来源 源 拉黑者 屏蔽者 发起者 主动方",
    ),
    (
        Meaning::Column(Column::Target),
        "target dst dest destination object to followee followed following follows followeduser friend \
         blocked blockee muted mutee whom tonode userto nodeto receiver recipient leader idol star end \
         被关注者 关注对象 关注 好友 目标 被拉黑者 被屏蔽者 对象 被动方",
    ),
    (Meaning::User, "user u account accountaddress owner member me my 用户 用户名 账号 帐号"),
    (Meaning::Row, "id pk rowid 编号 序号"),
    (
        Meaning::Column(Column::Time),
        "time timestamp ts at since date datetime unixtime epoch ctime when created createdat createdon \
         createdtime createdate createtime createat creationtime creationdate datecreated timecreated \
         gmtcreate inserted insertedat added addedat addtime followedat followat followtime followdate \
         followedsince followedon blockedat blocktime mutedat mutetime 时间 日期 关注时间 创建时间 \
         添加时间 拉黑时间 屏蔽时间",
    ),
    (
        Meaning::Unclear,
        "a b u v x y user1 user2 usera userb node node1 node2 nodea nodeb id1 id2 ida idb uid1 uid2 \
         person person1 person2 left right head tail first second one other vertex follow followedby \
         relation contact f",
    ),
    (Meaning::Column(Column::Scope), "scope mutescope 范围 屏蔽范围"),
    (
        Meaning::Column(Column::Until),
        "until muteduntil expires expiresat expireat expiry expiretime 到期时间 截止时间",
    ),
    (Meaning::Column(Column::Ignored), "showboosts notifyonnewposts languages hidenotifications"),
];

const UNCLEAR: &str = "it is not clear which column is the source and which the target";

/// What names of users end in, beside who they are.
const ENDINGS: [&str; 11] =
    ["userid", "username", "accountid", "useruid", "uuid", "uid", "user", "account", "name", "id", "编号"];

/// Returns the meaning of a name, if it is known.
pub(super) fn meaning(name: &[u8]) -> Option<Meaning> {
    let name = str::from_utf8(name).ok()?;
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect();
    if matches!(plain.as_str(), "uid" | "uuid" | "username" | "userid") {
        return Some(Meaning::User);
    }
    let of = |plain: &str| {
        let known = NAMES.iter().find(|(_, names)| names.split(' ').any(|name| name == plain));
        known.map(|(meaning, _)| *meaning)
    };
    of(&plain).or_else(|| {
        let shorter = ENDINGS.iter().filter_map(|ending| plain.strip_suffix(ending));
        // A time has no id: `time_id` is a stranger.
        let is_user = |meaning: &Meaning| {
            matches!(
                meaning,
                Meaning::Column(Column::Source | Column::Target) | Meaning::User | Meaning::Unclear
            )
        };
        shorter.filter_map(of).find(is_user)
    })
}

impl Column {
    /// Reads what `--columns` takes: names of columns with commas between, and `-` for one that is not imported.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn all(text: &str) -> Result<Vec<Self>, String> {
        let columns = text.split(',').map(|name| match (name.trim(), meaning(name.trim().as_bytes())) {
            ("-", _) => Ok(Self::Ignored),
            (_, Some(Meaning::Column(column))) if column != Self::Ignored => Ok(column),
            (name, _) => {
                Err(format!("`{name}` is none of `source`, `target`, `time`, `scope`, `until` and `-`"))
            }
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for column in [Self::Source, Self::Target, Self::Time, Self::Scope, Self::Until] {
            if columns.iter().filter(|other| **other == column).count() > 1 {
                return Err(format!("there are two columns of one kind: {column:?}"));
            }
        }
        Ok(columns)
    }

    /// Returns the columns of a header, if all of its names are known and leave no choice.
    ///
    /// # Errors
    /// What is not clear.
    pub(super) fn named(meanings: &[Meaning], fixed: Fixed) -> Result<Vec<Self>, String> {
        let count = |meaning| meanings.iter().filter(|other| **other == meaning).count();
        let named = |column| count(Meaning::Column(column));
        let (sources, targets) = (
            named(Self::Source) + usize::from(fixed == Fixed::Subject),
            named(Self::Target) + usize::from(fixed == Fixed::Object),
        );
        let (users, rows) = (count(Meaning::User), count(Meaning::Row));
        if count(Meaning::Unclear) > 0 {
            return Err(UNCLEAR.to_owned());
        }
        for (column, what) in [(Self::Time, "time"), (Self::Scope, "scope"), (Self::Until, "end of a mute")] {
            if named(column) > 1 {
                return Err(format!("two columns may be the {what}"));
            }
        }
        let user = match (sources, targets, users) {
            (1, 1, 0) => Self::Ignored,
            (1, 0, 1) => Self::Target,
            (0, 1, 1) => Self::Source,
            // Where one side is given, a number beside it is that of the other user.
            (0, 0, _) | (1, 0, 0) | (0, 1, 0) if rows + users + sources + targets < 2 => {
                return Err("it names one user, and a row has two".to_owned());
            }
            _ => return Err(UNCLEAR.to_owned()),
        };
        let column = |meaning: &Meaning| match meaning {
            Meaning::Column(column) => *column,
            Meaning::User => user,
            Meaning::Row | Meaning::Unclear => Self::Ignored,
        };
        Ok(meanings.iter().map(column).collect())
    }
}

/// Which of the users is the same for all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    None,
    Subject,
    Object,
}

impl TableForm {
    /// A table of such columns.
    ///
    /// # Errors
    /// Which user is missing, or is there twice.
    pub(super) fn of(
        separator: u8,
        columns: &[Column],
        subject: Option<&str>,
        object: Option<&str>,
    ) -> Result<Self, String> {
        let at = |column| columns.iter().position(|other| *other == column);
        let side = |column, fixed: Option<&str>, flag, word| match (at(column), fixed) {
            (Some(at), None) => Ok(Side::Column(at)),
            (None, Some(fixed)) => Ok(Side::Fixed(fixed.to_owned())),
            (Some(_), Some(_)) => Err(format!(
                "{flag} gives the {word} of all rows, and the list has a column of it; leave one out, a column by `-` in --columns"
            )),
            (None, None) => {
                Err(format!("there is no column of the {word}; a list of one side takes {flag} UID"))
            }
        };
        Ok(Self {
            separator,
            subject: side(Column::Source, subject, "--subject", "source")?,
            object: side(Column::Target, object, "--object", "target")?,
            time: at(Column::Time),
            scope: at(Column::Scope),
            until: at(Column::Until),
            width: columns.len(),
            any_time: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(header: &str, fixed: Fixed) -> Result<String, String> {
        let meanings: Option<Vec<Meaning>> = header.split(',').map(|name| meaning(name.as_bytes())).collect();
        let columns = Column::named(&meanings.ok_or("unknown")?, fixed)?;
        let letter = |column: &Column| match column {
            Column::Source => 's',
            Column::Target => 't',
            Column::Time => '@',
            Column::Scope => 'r',
            Column::Until => 'u',
            Column::Ignored => '-',
        };
        Ok(columns.iter().map(letter).collect())
    }

    #[test]
    fn usual_headers_say_which_column_is_which_in_any_order() {
        let cases = [
            ("source,target", "st"),
            ("follower_id,followee_id", "st"),
            ("followee,follower", "ts"),
            ("Follower ID,Followed ID,Created At", "st@"),
            ("id,follower_id,followed_id", "-st"),
            ("id,follower_id,followed_id,created_at", "-st@"),
            ("src,dst", "st"),
            ("dst,src", "ts"),
            ("from,to", "st"),
            ("from_user_id,to_user_id", "st"),
            ("user_id,friend_id", "st"),
            ("user_id,follower_id", "ts"),
            ("user_id,following_id", "st"),
            ("follower,following", "st"),
            ("userId,followedUserId", "st"),
            ("account_id,target_account_id", "st"),
            ("FollowerUID,FolloweeUID", "st"),
            ("follower-username,followee-username,since", "st@"),
            ("blocker_id,blocked_id", "st"),
            ("user_id,muted_user_id,muted_at", "st@"),
            ("uid,to_uid", "st"),
            ("fan_id,uid", "st"),
            ("subject,object,at", "st@"),
            ("FromNodeId,ToNodeId", "st"),
            ("time,source,target", "@st"),
            ("关注者,被关注者,关注时间", "st@"),
            ("粉丝ID,用户ID", "st"),
            ("用户,关注对象", "st"),
            ("user_from,user_to", "st"),
            ("sender_id,receiver_id", "st"),
            ("leader,follower", "ts"),
            ("subject,object,at,scope,until", "st@ru"),
            ("muter_id,muted_id,expires_at", "stu"),
        ];
        for (header, expected) in cases {
            assert_eq!(columns(header, Fixed::None).as_deref(), Ok(expected), "{header}");
        }
        assert_eq!(
            columns("Account address,Show boosts,Notify on new posts,Languages", Fixed::Subject).as_deref(),
            Ok("t---")
        );
        assert_eq!(columns("Account address,Hide notifications", Fixed::Subject).as_deref(), Ok("t-"));
        assert_eq!(columns("follower,time", Fixed::Object).as_deref(), Ok("s@"));
        assert_eq!(columns("user_id", Fixed::Object).as_deref(), Ok("s"));
    }

    #[test]
    fn names_that_leave_a_choice_are_refused() {
        for header in [
            "user,user",
            "id,user",
            "user_id,account_id",
            "follower,source",
            "following_user_id,followed_user_id",
            "source,target,user",
            "source,target,created_at,date",
            "follower",
            "time",
            "follower,followee,weight",
            "muter,muted,until,expires_at",
            "source,target,type",
            "source,target,updated_at",
            "source,target,time_id",
            "alice,bob",
            "1,2",
            "",
        ] {
            assert!(columns(header, Fixed::None).is_err(), "{header}");
        }
        assert!(columns("follower,time", Fixed::Subject).is_err());
        assert_eq!(
            Column::all("a,b"),
            Err("`a` is none of `source`, `target`, `time`, `scope`, `until` and `-`".to_owned())
        );
        assert!(Column::all("source,source").is_err());
        assert_eq!(
            Column::all("target, follower,-,time"),
            Ok(vec![Column::Target, Column::Source, Column::Ignored, Column::Time])
        );
    }
}
