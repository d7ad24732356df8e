//! The texts of the demo's users.

/// Posts.
pub(super) const POSTS: &[&str] = &[
    "早上好, 今天的云像棉花糖",
    "Fixed the bug. It was the cache. It is always the cache.",
    "周末去爬山, 有人一起吗?",
    "Coffee first, then everything else.",
    "下雨天最适合读书",
    "The sunset over the harbour tonight was unreal.",
    "新学会做麻婆豆腐, 辣得流泪",
    "Three chords and the truth.",
    "今天地铁上遇见老同学, 世界真小",
    "ImportRules about snowflakes: ids, not weather.",
    "猫把我的键盘当床了",
    "First frost of the year. Gloves on.",
    "写了三个小时, 删了两个小时",
    "Anyone else still using a paper notebook?",
    "海边的风把烦恼都吹走了",
    "My sourdough has a name now.",
    "凌晨四点的城市很安静",
    "Exact is a feature.",
    "刚看完一部老电影, 还是那么好看",
    "The train was on time. I was not.",
    "院子里的桂花开了, 满屋子都是香味",
    "Small functions, small worries.",
    "学了一首新曲子, 邻居请多包涵",
    "Planted tomatoes. Got tomatoes. Astonished.",
];

/// Replies.
pub(super) const REPLIES: &[&str] = &[
    "同感!",
    "Same here.",
    "哈哈哈",
    "Tell me more.",
    "下次叫上我",
    "This made my day.",
    "真的吗?",
    "Respectfully disagree.",
    "好看!",
    "Thanks for sharing.",
];

/// The messages with friend requests; often none.
pub(super) const GREETINGS: &[&str] = &["", "", "交个朋友?", "We met at the harbour.", "老同学, 还记得我吗?"];

/// The texts with reposts; mostly none.
pub(super) const QUOTES: &[&str] = &["", "", "", "转", "Worth reading.", "说得好"];
