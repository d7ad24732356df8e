//! The table of texts. `{}` is the place of a value.

use super::Lang;

macro_rules! texts {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// A text of a page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Text {
            $($name),*
        }

        impl Text {
            /// All texts.
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the text in a language.
            pub(crate) const fn of(self, lang: Lang) -> &'static str {
                match (self, lang) {
                    $(
                        (Self::$name, Lang::En) => $en,
                        (Self::$name, Lang::Zh) => $zh,
                    )*
                }
            }
        }
    };
}

texts! {
    // The frame of every page.
    ConsoleOf: "guanxi console", "guanxi 控制台";
    SkipToContent: "Skip to the content", "跳到正文";
    Menu: "Pages", "页面";
    Overview: "Overview", "概览";
    Users: "Users", "用户";
    Posts: "Posts", "帖子";
    Exports: "Exports", "导出";
    AuditLog: "Audit log", "审计日志";
    Tokens: "Tokens", "令牌";
    Consistency: "Consistency", "一致性";
    Cluster: "Cluster", "集群";
    SignIn: "Sign in", "登录";
    SignOut: "Sign out", "退出";
    SignedInAs: "Signed in as {}", "已登录：{}";
    NoCredential: "no credential is asked for", "未要求凭证";
    OnlyLooks: "read-only", "只读";
    Language: "Language", "语言";
    Theme: "Theme", "主题";
    ThemeSystem: "System", "跟随系统";
    ThemeLight: "Light", "浅色";
    ThemeDark: "Dark", "深色";
    Apply: "Apply", "应用";
    ZoneUtc: "Times are in UTC: without script the time zone is not known.", "时间为 UTC：没有脚本，无法得知时区。";

    // Signing in.
    SignInHint: "Paste an admin token, or run `guanxi console` for a link that signs in once.", "粘贴管理令牌，或运行 `guanxi console` 获取一次性登录链接。";
    AdminToken: "Admin token", "管理令牌";
    TokenPlace: "The first start of a server writes one into its data directory: admin-token.", "服务器首次启动时会把令牌写入数据目录：admin-token。";
    SignInByCode: "This link signs you in once, within five minutes.", "此链接五分钟内有效，只能登录一次。";
    SignInRefused: "This token or link is not valid. It may be revoked, used or too old.", "令牌或链接无效：可能已撤销、已使用或已过期。";
    SignInTooOften: "Too many attempts. Try again in a minute.", "尝试次数过多，请一分钟后再试。";
    SessionOver: "The session is over. Sign in again.", "会话已结束，请重新登录。";

    // Errors.
    NotFoundTitle: "There is no such page", "没有这个页面";
    NotFoundHint: "Check the address, or go to the overview.", "请检查地址，或回到概览。";
    RefusedTitle: "Refused", "被拒绝";
    ForeignHost: "The server is not known by this host name. Open it by its address, or name the host in the setting console_hosts.", "服务器不认识这个主机名。请用地址打开，或在设置 console_hosts 中写明主机名。";
    ForeignOrigin: "The request comes from another site. Open the page here and try again.", "请求来自其他网站。请在此打开页面后重试。";
    FormTooLarge: "The form is too large or came too slowly.", "表单过大或传输过慢。";
    FormStale: "The form is from another session. Load the page again.", "表单来自另一个会话，请重新加载页面。";
    OnlyLooksRefusal: "You are signed in as a read-only operator, so this is not done. Sign in with a full admin token.", "当前为只读操作员，无法执行。请用完整的管理令牌登录。";
    CallFailed: "The server refused: {}", "服务器拒绝：{}";
    ServerBusy: "The server has too much to do. Try again in a moment.", "服务器繁忙，请稍后再试。";
    BadUid: "This is no user id: {}", "这不是用户编号：{}";
    BadTime: "This is no time: {}. Write it as 2026-11-27T08:00.", "这不是时间：{}。请写成 2026-11-27T08:00。";
    BadNumber: "This is no number: {}", "这不是数字：{}";
    BadPostId: "This is no post id: {}", "这不是帖子编号：{}";
    BackToOverview: "To the overview", "回到概览";

    // Pieces.
    NextPage: "Next page", "下一页";
    FirstPage: "First page", "第一页";
    NothingHere: "There is nothing here.", "这里什么也没有。";
    ShownOf: "{} of {}", "{} / 共 {}";
    Copy: "Copy", "复制";
    Copied: "Copied", "已复制";
    Loading: "Loading ...", "加载中……";
    Reason: "Reason", "原因";
    ReasonHint: "It is kept in the audit log.", "将写入审计日志。";
    Confirm: "Do it", "确定";
    Cancel: "Cancel", "取消";
    Time: "Time", "时间";
    User: "User", "用户";
    Name: "Name", "名称";
    State: "State", "状态";
    Find: "Find", "查找";

    // Overview.
    WhatIsWrong: "What is wrong", "问题";
    NothingIsWrong: "Nothing is known to be wrong.", "未发现问题。";
    Since: "Running since", "启动时间";
    GroupCalls: "Calls", "调用";
    CallsRate: "Calls", "调用速率";
    CallsP50: "Half of the calls take", "半数调用耗时";
    CallsP99: "99 % of the calls take", "99% 调用耗时";
    ErrorsOfServer: "Failed by the server", "服务器错误";
    ErrorsRefused: "Refused: too much is asked", "因过载被拒绝";
    LoadWait: "A call waits for its turn", "排队时间";
    Connections: "Connections", "连接";
    CallsInFlight: "Calls in flight", "处理中的调用";
    Streams: "Streams", "流";
    GroupWrites: "Writes", "写入";
    EventsRate: "Events", "事件速率";
    Commits: "Commits", "提交";
    WritesPerCommit: "Writes in a commit", "每次提交的写入";
    CommitP99: "99 % of the commits take", "99% 提交耗时";
    FsyncP99: "99 % of the disk's syncs take", "99% 落盘耗时";
    GroupHomes: "Homes and what is derived", "首页与派生数据";
    FanoutLag: "99 % of the posts are offered within", "99% 帖子投递耗时";
    SearchPostsBehind: "Index of posts is behind", "帖子索引落后";
    SearchUsersBehind: "Index of users is behind", "用户索引落后";
    GroupCaches: "Answered from memory", "内存命中率";
    HitsUsers: "Users", "用户";
    HitsAuthors: "Authors", "作者";
    HitsItems: "Posts", "帖子";
    HitsFirstPages: "First pages", "首页列表";
    HitsSessions: "Sessions", "会话";
    GroupProcess: "Process", "进程";
    ProcessCpu: "Processor", "处理器";
    ProcessResident: "Memory", "内存";
    MemoryInboxes: "Memory of inboxes", "收件箱内存";
    MemoryUsers: "Memory of users", "用户内存";
    MemoryAuthors: "Memory of authors", "作者内存";
    MemoryItems: "Memory of posts", "帖子内存";
    OpenFiles: "Open files", "打开的文件";
    DiskFree: "Free on the disk", "磁盘剩余";
    Fanout: "Fan-out", "写扩散";
    FanoutMode: "Policy", "策略";
    FanoutQueued: "Posts that wait", "等待的帖子";
    FanoutBehind: "Events behind", "落后的事件";
    InboxesKept: "Inboxes in memory", "内存中的收件箱";
    Delivered: "Delivered", "已投递";

    // Users.
    FindUser: "Name, uid or external id", "名称、uid 或外部编号";
    NoUserFound: "No user is found by {}.", "没有找到用户：{}。";
    Profile: "Profile", "资料";
    Relations: "Relations", "关系";
    Following: "Following", "关注";
    Followers: "Followers", "粉丝";
    Friends: "Friends", "好友";
    Blocks: "Blocks", "拉黑";
    Mutes: "Mutes", "屏蔽";
    Requests: "Requests", "请求";
    Home: "Home", "首页动态";
    AuthorTimeline: "Posts of the user", "用户的帖子";
    Suggestions: "Suggestions", "推荐";
    Sessions: "Sessions", "会话";
    Surroundings: "Surroundings", "关系图";
    SurroundingsHint: "At most 60 users, those with the highest affinity inside. A ring marks friends.", "最多 60 个用户，联系度高的在内圈；圆环表示互相关注。";
    LoginName: "Login name", "登录名";
    Nickname: "Nickname", "昵称";
    Bio: "Bio", "简介";
    Avatar: "Avatar", "头像";
    Created: "Created", "创建时间";
    LastLogin: "Last login", "最近登录";
    Privacy: "Privacy", "隐私";
    PrivacyLocked: "locked: a follow waits for approval", "已锁定：关注需要批准";
    PrivacyHidden: "not discoverable", "不可被发现";
    ExternalId: "External id", "外部编号";
    Relation: "Relation", "关系";
    RelationTo: "Why can or can't A follow B?", "A 能关注 B 吗？为什么？";
    Ask: "Ask", "询问";
    StateNone: "none", "无关系";
    StateFollowing: "follows", "已关注";
    StateFollowedBy: "followed by", "被关注";
    StateMutual: "friends", "互相关注";
    Blocking: "blocks", "已拉黑";
    BlockedBy: "blocked by", "被拉黑";
    Muting: "mutes", "已屏蔽";
    UserActive: "active", "正常";
    UserDeactivated: "deactivated", "已停用";
    UserDeleted: "deleted", "已删除";
    UserErased: "erased", "已抹除";
    TakenDown: "taken down: {}", "已下架：{}";
    FriendsOfFriends: "{} followed by those whom the user follows", "关注的人中有 {} 人关注";
    FollowsYou: "follows the user", "关注了该用户";
    Popular: "popular", "热门";
    Device: "Device", "设备";
    LastUse: "Last use", "最近使用";
    Expires: "Expires", "到期";

    NoAccount: "no account", "没有账号";
    AllUsers: "All users, by their values", "按条件列出所有用户";
    NameBegins: "A name begins with", "名称开头";

    // What is between two users. A is the user of the page, B the other one.
    SamePair: "A and B are the same user: every operation is refused with SELF_RELATION.", "A 与 B 是同一用户：所有操作都会被拒绝（SELF_RELATION）。";
    PairState: "The pair", "两人之间";
    AsksToFollow: "has asked to follow", "已请求关注";
    AsksToBeFriends: "has asked to be friends", "已请求加为好友";
    PlacesTaken: "{} of {} places for follows are taken, with requests that wait", "关注名额已用 {} / {}（含等待中的请求）";
    AtFollowLimit: "at the follow limit", "已达关注上限";
    CanFollow: "A can follow B.", "A 可以关注 B。";
    CanAsk: "A follow of B is a request that waits.", "A 关注 B 会成为等待中的请求。";
    FollowsAlready: "A follows B already.", "A 已经关注 B。";
    AsksAlready: "A follow changes nothing.", "关注不会有任何变化。";
    CannotFollow: "A cannot follow B.", "A 不能关注 B。";
    PairOperations: "What each operation of A on B would answer", "A 对 B 的每种操作会得到什么结果";
    PairHint: "A rejection of the last 7 days is not shown here: after one, B cannot be asked again, and the answer is REQUEST_REJECTED.", "这里不显示最近 7 天内的拒绝：被拒绝后不能再次请求，结果为 REQUEST_REJECTED。";
    Operation: "Operation", "操作";
    WouldChange: "is done", "会执行";
    WouldNotChange: "changes nothing", "没有变化";
    BlockedIsHidden: "An end user whom the other blocks is told NOT_ALLOWED.", "被对方拉黑的终端用户看到的是 NOT_ALLOWED。";
    WhyNothingAgainst: "Nothing is against it.", "没有阻碍。";
    WhyDeleted: "One of both is deleted.", "双方之一已删除。";
    WhyANotActive: "A is deactivated or taken down.", "A 已停用或被下架。";
    WhyBNotActive: "B is deactivated or taken down.", "B 已停用或被下架。";
    WhyManyRequests: "A has as many requests that wait as a user may have.", "A 等待中的请求已达上限。";
    WhyFollows: "A follows B.", "A 关注了 B。";
    WhyFollowed: "B follows A.", "B 关注了 A。";
    WhyNotFollowed: "B does not follow A.", "B 没有关注 A。";
    WhyMutual: "A and B are friends.", "A 与 B 是好友。";
    WhyNotMutual: "A and B are not friends.", "A 与 B 不是好友。";
    WhyEitherBlocks: "One of both blocks the other.", "双方之一拉黑了对方。";
    WhyBlocks: "A blocks B.", "A 拉黑了 B。";
    WhyNotBlocks: "A does not block B.", "A 没有拉黑 B。";
    WhyMutes: "A mutes B already.", "A 已屏蔽 B。";
    WhyNotMutes: "A does not mute B.", "A 没有屏蔽 B。";
    WhyMutesAtLimit: "A mutes as many users as it may.", "A 屏蔽的用户已达上限。";
    WhyAsksFollow: "A has asked to follow B.", "A 已请求关注 B。";
    WhyAsksFriend: "A has asked B to be friends.", "A 已请求加 B 为好友。";
    WhyNotAsksFollow: "A has not asked to follow B.", "A 没有请求关注 B。";
    WhyNotAsksFriend: "A has not asked B to be friends.", "A 没有请求加 B 为好友。";
    WhyAskedFollow: "B has asked to follow A.", "B 已请求关注 A。";
    WhyAskedFriend: "B has asked A to be friends.", "B 已请求加 A 为好友。";
    WhyNotAskedFollow: "B has not asked to follow A.", "B 没有请求关注 A。";
    WhyNotAskedFriend: "B has not asked A to be friends.", "B 没有请求加 A 为好友。";
    WhyAskedFollowByFollowed: "B has asked to follow A, and A follows B.", "B 已请求关注 A，且 A 关注了 B。";
    WhyAwaitsApproval: "B is locked, and A has asked already.", "B 已锁定，且 A 已经请求。";
    WhyCooling: "B rejected A less than 7 days ago.", "B 在 7 天内拒绝过 A。";
    WhyMustAsk: "B is locked: it approves those who follow it.", "B 已锁定：关注需要其批准。";
    WhyNoPlace: "A is at its follow limit, and has no place for B.", "A 已达关注上限，没有 B 的名额。";
    WhyAtLimit: "A is at the limit of such users.", "A 的此类用户已达上限。";
    EffectFollow: "A follows B.", "A 关注 B。";
    EffectFollowBack: "B follows A.", "B 关注 A。";
    EffectUnfollow: "A no longer follows B.", "A 不再关注 B。";
    EffectUnfollowBack: "B no longer follows A.", "B 不再关注 A。";
    EffectBlock: "A blocks B.", "A 拉黑 B。";
    EffectUnblock: "A no longer blocks B.", "A 不再拉黑 B。";
    EffectMute: "A mutes B.", "A 屏蔽 B。";
    EffectUnmute: "A no longer mutes B.", "A 不再屏蔽 B。";
    EffectAskFollow: "A's request to follow B waits.", "A 关注 B 的请求等待批准。";
    EffectAskFriend: "A's friend request to B waits.", "A 对 B 的好友请求等待回应。";
    EffectEndRequest: "A's request ends.", "A 的请求结束。";
    EffectEndRequestBack: "B's request ends.", "B 的请求结束。";

    // Changes on behalf of a user.
    Unfollow: "Unfollow", "取消关注";
    RemoveFollower: "Remove follower", "移除粉丝";
    Unblock: "Unblock", "取消拉黑";
    Unmute: "Unmute", "取消屏蔽";
    EndSession: "End the session", "结束会话";
    UnfollowQuestion: "On behalf of user {}: unfollow {}?", "代表用户 {}：取消关注 {}？";
    RemoveFollowerQuestion: "On behalf of user {}: remove the follower {}?", "代表用户 {}：移除粉丝 {}？";
    UnblockQuestion: "On behalf of user {}: unblock {}? No follow comes back.", "代表用户 {}：取消拉黑 {}？关注不会恢复。";
    UnmuteQuestion: "On behalf of user {}: unmute {}?", "代表用户 {}：取消屏蔽 {}？";
    EndSessionQuestion: "End a session of user {}? Its tokens are refused at once. Session: {}", "结束用户 {} 的会话？其令牌会立即失效。会话：{}";

    // Filters, sums and exports of rows.
    MoreFilters: "Filters, order and chart", "筛选、排序与图表";
    From: "from", "从";
    Until: "until", "到";
    AtLeast: "at least", "至少";
    AtMost: "at most", "至多";
    OrderBy: "Order by", "排序";
    Newest: "id", "编号";
    Rising: "smallest first", "从小到大";
    Chart: "Chart", "图表";
    NoChart: "none", "无";
    ChartDays: "by day (UTC)", "按日（UTC）";
    ChartWeeks: "by week (UTC)", "按周（UTC）";
    ChartMonths: "by month (UTC)", "按月（UTC）";
    OtherRows: "others", "其他";
    BarsLeftOut: "{} earlier bars are left out.", "省略了较早的 {} 条。";
    PercentBelow: "{} % are at most", "{}% 不超过";
    PostLive: "live", "正常";
    StateTakenDown: "taken down", "已下架";
    PostKind: "Form", "形式";
    FormPlain: "plain", "普通";
    FormReply: "reply", "回复";
    FormQuote: "quote", "引用";
    VisibleTo: "Visible to", "可见范围";
    VisibleAnyGroup: "a group", "分组";
    ExportThese: "Export these rows", "导出这些行";
    ExportQuestion: "Export the rows of this filter ({}) to a file of the server?", "把符合条件的行（{}）导出为服务器上的文件？";
    FormatCsv: "CSV, for spreadsheets", "CSV（用于电子表格）";
    FormatJson: "JSON, a row on each line", "JSON，每行一条";
    NumbersOnly: "numbers only, without texts", "只导出数字，不含文本";
    ExportsHint: "An export begins at a list of rows:", "从列表页开始导出：";
    Rows: "Rows", "行";
    Download: "Download", "下载";
    RemoveFile: "Remove the file", "删除文件";
    CancelExport: "Cancel the job", "取消任务";
    CancelExportQuestion: "Cancel the job {} and remove its file?", "取消任务 {} 并删除其文件？";
    JobExpired: "done; its file is gone", "完成，文件已删除";

    // Posts and homes.
    Post: "Post", "帖子";
    Author: "Author", "作者";
    PostBody: "Text", "内容";
    VisiblePublic: "everybody", "所有人";
    VisibleFollowers: "followers", "粉丝";
    VisibleFriends: "friends", "好友";
    VisibleGroup: "group {}", "分组 {}";
    Likes: "Likes", "点赞";
    Replies: "Replies", "回复";
    Reposts: "Reposts", "转发";
    Revision: "Revision", "版本";
    Revisions: "Revisions", "历史版本";
    ReplyTo: "Answers {}", "回复 {}";
    RepostOf: "Shares {}", "转发 {}";
    PostGone: "deleted", "已删除";
    PostGoneHint: "The post is deleted, taken down, or does not exist. Its author still sees one that is taken down.", "帖子已删除、下架或不存在。下架的帖子其作者仍可见。";
    PostUnknown: "not found", "未找到";
    PostForbidden: "not visible", "不可见";
    HomeOf: "Home of {}", "{} 的首页";
    PostsOf: "Posts of {}", "{} 的帖子";
    FromInbox: "from the inbox", "来自收件箱";
    Pulled: "pulled from the author", "拉取自作者";
    WhyNot: "Why is a post here, or not here?", "某条帖子为什么在（或不在）这里？";
    PostId: "Post id", "帖子编号";
    FollowedSince: "followed since {}", "关注于 {}";
    VerdictShown: "The post is shown.", "该帖子会显示。";
    VerdictNotFound: "There is no such post.", "没有这条帖子。";
    VerdictDeleted: "The post is deleted or taken down.", "帖子已删除或下架。";
    VerdictBlocked: "One of both has blocked the other.", "双方之一拉黑了对方。";
    VerdictNotFollowed: "The viewer does not follow the author.", "读者没有关注作者。";
    VerdictNotFollower: "The post is for followers, and the viewer is none.", "帖子仅粉丝可见，而读者不是粉丝。";
    VerdictNotFriend: "The post is for friends, and the viewer is none.", "帖子仅好友可见，而读者不是好友。";
    VerdictOriginalGone: "What it shares is deleted.", "被转发的帖子已删除。";
    VerdictOriginalHidden: "What it shares is not visible to the viewer.", "被转发的帖子对读者不可见。";
    VerdictMuted: "The viewer mutes the author.", "读者屏蔽了作者。";
    VerdictOriginalMuted: "The viewer mutes the author of what it shares.", "读者屏蔽了原作者。";
    VerdictReplyToStranger: "It answers a user whom the viewer does not follow.", "它回复的用户未被读者关注。";
    VerdictRepostMuted: "The viewer mutes reposts of the author.", "读者屏蔽了作者的转发。";
    VerdictNotInGroup: "The post is for a group, and the viewer is no member.", "帖子仅分组可见，而读者不在其中。";
    TakeDown: "Take down", "下架";
    Reinstate: "Reinstate", "恢复";
    TakeDownPostQuestion: "Take post {} down? Everybody but its author sees it as deleted.", "下架帖子 {}？除作者外，所有人都会看到它已删除。";
    ReinstatePostQuestion: "Reinstate post {}?", "恢复帖子 {}？";
    TakeDownUserQuestion: "Take user {} down? The user looks deactivated, and all its sessions end.", "下架用户 {}？该用户将显示为已停用，所有会话都会结束。";
    ReinstateUserQuestion: "Reinstate user {}?", "恢复用户 {}？";

    // Back office.
    Action: "Action", "操作";
    Operator: "Operator", "操作员";
    Targets: "About", "对象";
    Outcome: "Outcome", "结果";
    OutcomeBegun: "begun; its end is not known", "已开始，结果未知";
    OutcomeDone: "done", "完成";
    OutcomeRefused: "refused: {}", "被拒绝：{}";
    Principal: "Principal", "主体";
    Words: "Words in the text", "文中词语";
    Total: "{} in all", "共 {} 条";
    Job: "Job", "任务";
    Progress: "Progress", "进度";
    Size: "Size", "大小";
    JobQueued: "queued", "排队";
    JobRunning: "running", "运行中";
    JobDone: "done", "完成";
    JobFailed: "failed", "失败";
    JobCanceled: "cancelled", "已取消";

    RevokeToken: "Revoke", "撤销";
    RevokeTokenQuestion: "Revoke the token {}? What calls with it is refused at once.", "撤销令牌 {}？使用它的调用会立即被拒绝。";

    // Two users side by side.
    TryIt: "Try it", "试一试";
    TryHint: "Two test users side by side: what one of them does is in the home of the other. They are users of this server like any others, until you erase them.", "两个测试用户并排显示：一方的操作会出现在另一方的首页。他们与其他用户一样存在于此服务器，直到你将其抹除。";
    TryNone: "There are no test users.", "没有测试用户。";
    TryMake: "Make two test users", "创建两个测试用户";
    TryErase: "Erase the test users", "抹除测试用户";
    TryErasing: "The test users are being erased. Load the page again in a moment.", "正在抹除测试用户，请稍后重新加载。";
    TryEraseQuestion: "Erase the test users {} and {} with all that they wrote? This cannot be undone.", "抹除测试用户 {} 和 {} 及其全部内容？此操作无法撤销。";
    WritePost: "Write a post", "写一条帖子";
    DoPost: "Post it", "发布";
    DoFollow: "Follow {}", "关注 {}";
    DoUnfollow: "Unfollow {}", "取消关注 {}";
    DoLike: "Like", "点赞";
    DoLikeNewest: "Like the newest post of {}", "点赞 {} 的最新帖子";
    DoBlock: "Block {}", "拉黑 {}";
    DoUnblock: "Unblock {}", "取消拉黑 {}";
    NothingToLike: "There is no post to like, or it is not visible.", "没有可点赞的帖子，或该帖子不可见。";
    SameCall: "The same by a program", "用程序做同样的事";
    SameCallToken: "TOKEN is the token of a service or of an operator.", "TOKEN 是服务或操作员的令牌。";

    // The demo.
    Demo: "Demo", "演示";
    DemoHint: "Two users of a real follow graph. Names and posts are made up, and other users write and read meanwhile. What you do here is done to this world alone.", "真实关注图中的两个用户。姓名与帖子均为虚构，其他用户同时也在读写。你的操作只影响这个演示世界。";
    DemoPolicy: "How posts get to homes", "帖子如何到达首页";
    DemoPolicyHint: "Every policy gives the same homes. It moves work between writing and reading. A change drops all inboxes, and they are built again when their users read.", "每种策略得到的首页都相同，只是在写入与读取之间转移工作。更改策略会清空所有收件箱，用户读取时再重建。";
    PolicyPull: "Pull", "拉取";
    PolicyPush: "Push", "推送";
    PolicyHybrid: "Hybrid", "混合";
    DemoGraph: "The graph", "关系图";
    DemoGraphHint: "{} users with {} follows between them. Those with the most followers are inside, and the two above have a face.", "{} 个用户，彼此间有 {} 个关注。粉丝多的在内圈，上方两位显示头像。";

    // The history of a user.
    History: "History", "历史";
    HistoryOf: "History of {}", "{} 的历史";
    HistoryHint: "What the event log still tells of the user: its acts, and acts of others on it or on its posts. The newest is first.", "事件日志中与该用户有关的记录：本人的操作，以及他人对其或其帖子的操作。最新的在前。";
    WhatHappened: "What happened", "发生的事";
    LogPlace: "Place in the log", "日志位置";
    HistoryBudget: "This page has read {} events of the log, back to {}, and may read no more. The next page goes on from there.", "本页已读取日志中的 {} 条事件，最早到 {}，已达单页上限。下一页会从那里继续。";
    HistoryTime: "This page has read {} events of the log, back to {}, and had no more time. The next page goes on from there.", "本页已读取日志中的 {} 条事件，最早到 {}，时间已用完。下一页会从那里继续。";
    HistoryTrimmed: "The log has no older events: they are trimmed. Its first event now is number {}, of {}.", "日志中没有更早的事件：它们已被清理。现在最早的事件编号为 {}，时间为 {}。";
    HistoryTrimmedAll: "The log has no older events: they are trimmed.", "日志中没有更早的事件：它们已被清理。";
    HistoryWhole: "The log is searched to its first event.", "日志已查到第一条事件。";
    EventOther: "{} had an event that this page does not know", "{} 有一条本页不认识的事件";
    EventFollowed: "{} followed {}", "{} 关注了 {}";
    EventUnfollowed: "{} no longer follows {}", "{} 不再关注 {}";
    EventBlocked: "{} blocked {}", "{} 屏蔽了 {}";
    EventUnblocked: "{} no longer blocks {}", "{} 不再屏蔽 {}";
    EventMuted: "{} muted {}", "{} 静音了 {}";
    EventMutedReposts: "{} muted the reposts of {}", "{} 静音了 {} 的转发";
    EventUnmuted: "{} no longer mutes {}", "{} 不再静音 {}";
    EventAskedFollow: "{} got a follow request from {}", "{} 收到 {} 的关注请求";
    EventAskedFriend: "{} got a friend request from {}", "{} 收到 {} 的好友请求";
    EventAskedFollowEnded: "{} no longer has a follow request from {}", "{} 不再有来自 {} 的关注请求";
    EventAskedFriendEnded: "{} no longer has a friend request from {}", "{} 不再有来自 {} 的好友请求";
    EventLimit: "{} got the follow limit {}", "{} 的关注上限设为 {}";
    EventLimitDefault: "{} got the default follow limit", "{} 的关注上限恢复默认";
    EventPostCreated: "{} wrote the post {}", "{} 发布了帖子 {}";
    EventPostImported: "The post of {} was imported: {}", "导入了 {} 的帖子：{}";
    EventPostEdited: "{} changed the post {}", "{} 修改了帖子 {}";
    EventPostWidened: "{} let more users see the post {}", "{} 让更多用户可见帖子 {}";
    EventPostNarrowed: "{} let fewer users see the post {}", "{} 让更少用户可见帖子 {}";
    EventPostDeleted: "{} deleted the post {}", "{} 删除了帖子 {}";
    EventPostRestored: "{} restored the post {}", "{} 恢复了帖子 {}";
    EventPostPurged: "The content of a post of {} was removed for good: {}", "{} 的帖子内容被永久移除：{}";
    EventPostTakenDown: "A post of {} was taken down: {}", "{} 的帖子被下架：{}";
    EventPostReinstated: "A post of {} was reinstated: {}", "{} 的帖子恢复上架：{}";
    EventLiked: "{} liked the post {} of {}", "{} 赞了帖子 {}，作者 {}";
    EventUnliked: "{} no longer likes the post {} of {}", "{} 取消赞帖子 {}，作者 {}";
    EventRegistered: "{} was registered", "{} 注册了账号";
    EventProfile: "{} got another profile", "{} 的资料已更改";
    EventPrivacy: "{} got other privacy settings", "{} 的隐私设置已更改";
    EventPassword: "{} got another password", "{} 的密码已更改";
    EventDeactivated: "{} was deactivated", "{} 已停用";
    EventReactivated: "{} was reactivated", "{} 已重新启用";
    EventPhone: "The phone number of {} changed", "{} 的手机号已更改";
    EventEmail: "The mail address of {} changed", "{} 的邮箱已更改";
    EventExternalId: "{} was made for an external id", "{} 因外部编号而建立";
    EventDeleted: "{} was deleted", "{} 已删除";
    EventErased: "{} was erased", "{} 已抹除";
    EventSignedOut: "{} signed out everywhere", "{} 已在所有设备退出";
    EventSessionEnded: "A session of {} ended", "{} 的一个会话已结束";
    EventLoggedIn: "{} logged in for the first time of a day (UTC)", "{} 当日（UTC）首次登录";
    EventUserTakenDown: "{} was taken down", "{} 被下架";
    EventUserReinstated: "{} was reinstated", "{} 恢复上架";
    EventGroupCreated: "{} made the group {}", "{} 建立了分组 {}";
    EventGroupUpdated: "{} renamed the group {}", "{} 重命名了分组 {}";
    EventGroupMembers: "{} changed the members of the group {}", "{} 更改了分组 {} 的成员";
    EventGroupAudience: "Other users may see posts of {} for the group {}", "{} 发给分组 {} 的帖子可见范围已变";
    EventGroupDeleted: "{} removed the group {}", "{} 删除了分组 {}";
    EventCause: "by {}", "由 {} 引起";
    CauseRequestExpired: "the request expired", "请求已过期";
    CauseMuteExpired: "the mute expired", "静音已到期";
    CauseUnlocked: "the account was unlocked", "账号已解除锁定";

    // Consistency and cluster.
    CheckFacts: "Stored rows", "存储的数据";
    CheckHint: "A full check compares all facts with what is derived from them. It reads everything, and changes nothing.", "完整检查把所有事实与派生数据逐一比较。它读取全部数据，不做任何修改。";
    StartCheck: "Check now", "立即检查";
    CheckClean: "{} entries compared, no difference.", "已比较 {} 项，没有差异。";
    CheckFinds: "{} differences.", "{} 处差异。";
    CheckHomes: "Homes", "首页";
    CheckHomesHint: "Compares the homes of 100 users, picked at random, with their definition. It visits each home as its reader would.", "随机选 100 个用户，把首页与其定义比较。读取方式与用户访问相同。";
    CheckSearch: "Search indexes", "搜索索引";
    CheckSearchHint: "Compares each document of the search indexes with its user or post. It changes nothing.", "把搜索索引的每个文档与用户或帖子比较，不做任何修改。";
    ComparedSoFar: "{} compared so far", "已比较 {}";
    PostMissing: "is missing", "缺失";
    PostUnexpected: "is not expected", "不应出现";
    PostMisplaced: "is in a wrong place", "位置错误";
    HowToMend: "How to mend differences", "如何修复差异";
    MendFacts: "The first command mends derived rows while the server runs, as the button after a check does. The second one does so in a cluster. What is left needs a backup.", "第一条命令在服务器运行时修复派生数据，与检查后的按钮相同。第二条用于集群。剩下的差异需要备份。";
    MendNow: "Mend differences", "修复差异";
    MendQuestion: "Mend derived rows? The server compares all rows and derives each wrong one anew from the facts, while it serves. It changes no fact.", "修复派生数据？服务器会比较全部数据，并根据事实重新生成每一条错误的派生数据，期间照常服务，不修改任何事实。";
    LastMend: "The last repair", "最近一次修复";
    StageComparing: "Comparing", "比较中";
    StageMending: "Mending", "修复中";
    MendedSoFar: "{} mended so far", "已修复 {}";
    MendDone: "{} differences found, {} rows mended, {} differences left.", "发现 {} 处差异，修复 {} 条，剩余 {} 处差异。";
    CheckAgain: "Check again", "再次检查";
    RemedyAgain: "Rows changed while they were compared: repair again.", "比较期间数据有变化：请再次修复。";
    RemedyDump: "Derived rows of posts are left: make a backup and restore it into a new directory. That builds all derived rows anew.", "帖子的派生数据仍有差异：请备份并恢复到新目录，这会重建全部派生数据。";
    RemedyBackup: "A fact or an event is lost: restore a backup from before the damage into a new directory.", "事实或事件已丢失：请把损坏之前的备份恢复到新目录。";
    RemedyFact: "Two facts contradict each other: end the follow or the block.", "两个事实互相矛盾：请取消关注或取消拉黑。";
    HeatTitle: "Follows between groups of users", "用户组之间的关注";
    HeatLabel: "{} squares have follows; in {} of them the two sides disagree.", "{} 个方格有关注，其中 {} 个方格两侧不一致。";
    HeatAgrees: "{} to {}: {} follows on both sides", "{} 到 {}：两侧均为 {} 个关注";
    HeatDiffers: "{} to {}: the two sides disagree, {} follows and {}", "{} 到 {}：两侧不一致，{} 个关注与 {} 个";
    HeatNumbers: "The numbers", "数字";
    HeatCaption: "Rows: those who follow. Columns: those who are followed. A group is the high four bits of the gene, the last byte of the uid. A crossed square differs.", "行为关注者，列为被关注者。组是基因（用户编号末字节）的高四位。打叉的方格表示不一致。";
    MendHomes: "Inboxes are derived. A changed fan-out policy drops all of them, and each is built again at the next visit.", "收件箱是派生数据。更改写扩散策略会清空它们，下次访问时重建。";
    MendSearch: "The indexes are built anew from all users and posts, while the present ones answer.", "从所有用户和帖子重建索引，期间现有索引照常服务。";
    Backups: "Backups", "备份";
    BackupsHint: "This command makes a backup while the server runs.", "此命令可在运行中备份。";
    BackupsKnown: "The newest backups of this server, as its audit log has them:", "审计日志中最近的备份：";
    NoBackupKnown: "No backup is known. The audit log has those of running servers; a backup of a stopped server is in no log.", "没有已知的备份。审计日志只记录运行中服务器的备份，已停止服务器的备份不会被记录。";
    RestoreState: "A server does not know whether its data was restored from a backup. `guanxi restore` makes a new directory, and prints what it has restored.", "服务器不知道其数据是否由备份恢复。`guanxi restore` 会新建目录并显示恢复的内容。";
    Databases: "Databases", "数据库";
    Database: "Database", "数据库";
    Number: "Number", "编号";
    AnswerTime: "Answer time", "响应时间";
    Behind: "Events not applied yet", "尚未应用的事件";
    Genes: "Genes", "基因";
    GenesHint: "A gene is the low 8 bits of a uid. Each square is a gene, row by row from 0 to 255, and has the number of its database.", "基因是 uid 的低 8 位。每个方格是一个基因，从 0 到 255 逐行排列，方格中是所在数据库的编号。";
    GeneTitle: "Gene {}: database {}, epoch {}, events {}", "基因 {}：数据库 {}，纪元 {}，事件 {}";
    Epoch: "Epoch", "纪元";
    EventsOfLogs: "Events of the logs", "日志事件数";
    ShardOpen: "open", "可写";
    ShardMoving: "moving", "迁移中";
    ShardUnknown: "not known", "未知";
    Answers: "answers", "有响应";
    Away: "does not answer", "无响应";
    DatabaseAway: "The database {} does not answer in time. What needs it is refused; the rest goes on.", "数据库 {} 没有及时响应。需要它的操作会被拒绝，其余照常。";
    Processes: "Processes", "进程";
    ProcessesHint: "Processes that served the cluster within the last 30 seconds, as the first database tells.", "最近 30 秒内为集群服务的进程（由第一个数据库得知）。";
    Version: "Version", "版本";
    Roles: "Roles", "角色";
    Machine: "Machine", "主机";
    Pid: "Process id", "进程号";
    ClockAhead: "First database's clock ahead by", "第一个数据库的时钟超前";
    OneMachine: "This server runs on one machine: there are no shards to place and no other processes.", "此服务器运行在单机上：没有需要分布的分片，也没有其他进程。";
}
