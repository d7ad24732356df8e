//! Times, in the reader's zone with UTC beside.

use buffa_types::google::protobuf::Timestamp;
use maud::{Markup, html};
use time::{OffsetDateTime, UtcOffset};

use crate::look::Look;

/// Shows a time; a dash for none.
pub(crate) fn clock(look: Look, at: Option<&Timestamp>) -> Markup {
    let Some(at) = at.and_then(|at| OffsetDateTime::from_unix_timestamp(at.seconds).ok()) else {
        return html! { "-" };
    };
    let zone = look.zone.and_then(|minutes| UtcOffset::from_whole_seconds(i32::from(minutes) * 60).ok());
    let utc = written(at);
    if let Some(local) = zone.and_then(|zone| at.checked_to_offset(zone)) {
        return html! { time datetime=(exact(at)) title={ (utc) " UTC" } { (written(local)) } };
    }
    html! { time datetime=(exact(at)) { (utc) " UTC" } }
}

fn written(at: OffsetDateTime) -> String {
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

fn exact(at: OffsetDateTime) -> String {
    format!("{}Z", written(at).replace(' ', "T"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Theme;
    use crate::texts::Lang;

    #[test]
    fn a_time_is_shown_in_the_readers_zone_with_utc_beside() {
        let at = Timestamp { seconds: 1_795_766_400, ..Default::default() };
        let shown = |zone| {
            let look = Look { lang: Lang::En, theme: Theme::System, zone };
            clock(look, Some(&at)).into_string()
        };
        assert_eq!(shown(None), "<time datetime=\"2026-11-27T08:00:00Z\">2026-11-27 08:00:00 UTC</time>");
        let beijing = shown(Some(480));
        assert!(beijing.contains("title=\"2026-11-27 08:00:00 UTC\">2026-11-27 16:00:00<"), "{beijing}");
        let far = Timestamp { seconds: i64::MAX, ..Default::default() };
        assert_eq!(
            clock(Look { lang: Lang::En, theme: Theme::System, zone: None }, Some(&far)).into_string(),
            "-"
        );
    }
}
