//! Filters of lists: what a reader has set in the form of a page, from its query, and the fields that show it.

use buffa_types::google::protobuf::Timestamp;
use guanxi_proto::v1;
use maud::{Markup, html};
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use crate::answer::Trouble;
use crate::texts::Text;
use crate::visit::Visit;

/// The value of a choice in a query, its text, and what it stands for in a call.
pub(super) type Choice<T> = (&'static str, Text, T);

/// Returns a time that a reader wrote, in its zone, as `2026-11-27T08:00` or `2026-11-27`; `None` for no text.
pub(super) fn time(visit: &Visit, name: &str) -> Result<Option<Timestamp>, Trouble> {
    let text = visit.query.get(name);
    if text.is_empty() {
        return Ok(None);
    }
    let zone = visit.look.zone.unwrap_or(0);
    let read = instant(text, zone).ok_or_else(|| Trouble::Bad(Text::BadTime, text.to_owned()))?;
    Ok(Some(Timestamp { seconds: read, ..Default::default() }))
}

/// Returns the Unix time of a text, in a zone so many minutes to the east of UTC.
fn instant(text: &str, zone: i16) -> Option<i64> {
    let (day, clock) = text.split_once('T').unwrap_or((text, "00:00"));
    let number = |text: Option<&str>| text.filter(|text| text.len() <= 4)?.parse::<u16>().ok();
    let mut of_day = day.split('-');
    let (year, month, day) = (number(of_day.next())?, number(of_day.next())?, number(of_day.next())?);
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()?;
    let mut of_clock = clock.split(':');
    let (hour, minute) = (number(of_clock.next())?, number(of_clock.next())?);
    let second = of_clock.next().map_or(Some(0), |text| number(Some(text)))?;
    let [hour, minute, second] = [hour, minute, second].map(u8::try_from);
    let clock = Time::from_hms(hour.ok()?, minute.ok()?, second.ok()?).ok()?;
    let offset = UtcOffset::from_whole_seconds(i32::from(zone) * 60).ok()?;
    let at: OffsetDateTime = PrimitiveDateTime::new(date, clock).assume_offset(offset);
    (of_day.next().is_none() && of_clock.next().is_none()).then(|| at.unix_timestamp())
}

/// Returns the range of times of two fields.
pub(super) fn times(visit: &Visit, name: &str) -> Result<Option<v1::TimeRange>, Trouble> {
    let (from, until) = (time(visit, &format!("{name}-from"))?, time(visit, &format!("{name}-until"))?);
    let is_given = from.is_some() || until.is_some();
    Ok(is_given.then(|| v1::TimeRange { from_time: from.into(), until_time: until.into() }))
}

/// Returns the range of numbers of two fields.
pub(super) fn numbers(visit: &Visit, name: &str) -> Result<Option<v1::NumberRange>, Trouble> {
    let read = |end: &str| {
        let text = visit.query.get(&format!("{name}-{end}"));
        let bad = || Trouble::Bad(Text::BadNumber, text.to_owned());
        if text.is_empty() { Ok(None) } else { text.parse::<u64>().map(Some).map_err(|_| bad()) }
    };
    let (least, most) = (read("min")?, read("max")?);
    let is_given = least.is_some() || most.is_some();
    Ok(is_given.then(|| v1::NumberRange { at_least: least.unwrap_or(0), at_most: most }))
}

/// Returns the choices that are ticked.
pub(super) fn ticked<T: Copy>(visit: &Visit, name: &str, choices: &[Choice<T>]) -> Vec<T> {
    let is_ticked = |value: &str| visit.query.all().any(|given| given == (name, value));
    choices.iter().filter(|(value, ..)| is_ticked(value)).map(|(.., stands_for)| *stands_for).collect()
}

/// Returns the choice that is selected, if it is one.
pub(super) fn selected<T: Copy>(visit: &Visit, name: &str, choices: &[Choice<T>]) -> Option<T> {
    let value = visit.query.get(name);
    choices.iter().find(|(known, ..)| *known == value).map(|(.., stands_for)| *stands_for)
}

/// Boxes of which several may be ticked.
pub(super) fn boxes<T: Copy>(visit: &Visit, name: &str, legend: Text, choices: &[Choice<T>]) -> Markup {
    let is_ticked = |value: &str| visit.query.all().any(|given| given == (name, value));
    html! {
        fieldset.row {
            legend { (visit.say(legend)) }
            @for (value, text, _) in choices {
                label { input type="checkbox" name=(name) value=(value) checked[is_ticked(value)]; " " (visit.say(*text)) }
            }
        }
    }
}

/// A list of which one is selected; the first one stands for none.
pub(super) fn select<T: Copy>(
    visit: &Visit,
    name: &str,
    legend: Text,
    none: Text,
    choices: &[Choice<T>],
) -> Markup {
    let value = visit.query.get(name);
    html! {
        label { (visit.say(legend)) " "
            select name=(name) {
                option value="" { (visit.say(none)) }
                @for (known, text, _) in choices {
                    option value=(known) selected[*known == value] { (visit.say(*text)) }
                }
            }
        }
    }
}

/// Two fields of a range of times, in the reader's zone.
pub(super) fn time_fields(visit: &Visit, name: &str, legend: Text) -> Markup {
    html! {
        fieldset.row {
            legend { (visit.say(legend)) @if visit.look.zone.is_none() { " (UTC)" } }
            @for (end, text) in [("from", Text::From), ("until", Text::Until)] {
                @let field = format!("{name}-{end}");
                label { (visit.say(text)) " " input type="datetime-local" name=(field) value=(visit.query.get(&field)); }
            }
        }
    }
}

/// Two fields of a range of numbers.
pub(super) fn number_fields(visit: &Visit, name: &str, legend: Text) -> Markup {
    html! {
        fieldset.row {
            legend { (visit.say(legend)) }
            @for (end, text) in [("min", Text::AtLeast), ("max", Text::AtMost)] {
                @let field = format!("{name}-{end}");
                label { (visit.say(text)) " " input name=(field) inputmode="numeric" size="8" maxlength="20" value=(visit.query.get(&field)); }
            }
        }
    }
}

/// The query of this page without what is of one page alone: what leads to the same rows elsewhere.
pub(super) fn carried(visit: &Visit) -> Vec<(String, String)> {
    let is_kept = |name: &str, value: &str| !value.is_empty() && !matches!(name, "page" | "cookie" | "of");
    let kept = visit.query.all().filter(|(name, value)| is_kept(name, value));
    kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A link from a list to the question of an export of the same rows. An operator who only looks has none.
pub(super) fn start_link(visit: &Visit, of: &str) -> Markup {
    html! {
        @if visit.operator().may_change() {
            form action="/exports/start" method="get" {
                input type="hidden" name="of" value=(of);
                @for (name, value) in carried(visit) { input type="hidden" name=(name) value=(value); }
                button { (visit.say(Text::ExportThese)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_in_the_readers_zone_and_nonsense_is_none() {
        assert_eq!(instant("2026-11-27", 0), Some(1_795_737_600));
        assert_eq!(instant("2026-11-27T08:00", 480), Some(1_795_737_600));
        assert_eq!(instant("2026-11-27T00:00:01", 0), Some(1_795_737_601));
        for nonsense in
            ["", "x", "2026-02-30", "2026-11-27T25:00", "2026-11-27-1", "<b>", "99999-01-01", "2026-11"]
        {
            assert_eq!(instant(nonsense, 0), None, "{nonsense}");
        }
    }
}
