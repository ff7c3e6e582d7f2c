import FoundationEssentials

/// Parses the three date formats of HTTP; today's programs write only the first (RFC 9110 section 5.6.7).
package enum HTTPDate {
  /// The date in a field; nil when the text has none of the formats, or names a day that does not exist.
  ///
  /// Letters may have either case, as RFC 9111 section 4.2 asks of caches. The name of the day only helps people, and
  /// need not be right.
  package static func parse(_ text: String, now: Date = Date()) -> Date? {
    var rest = Rest(text)
    // Sunday, 06-Nov-94 08:49:37 GMT
    if rest.take(oneOf: longWeekdays) != nil {
      guard rest.take(", "), let day = rest.takeNumber(digits: 2), rest.take("-"),
        let month = rest.take(oneOf: months), rest.take("-"), let short = rest.takeNumber(digits: 2), rest.take(" "),
        let time = rest.takeTime(), rest.take(" GMT"), rest.isEmpty
      else { return nil }
      return date(day: day, month: month, year: fullYear(of: short, now), time: time)
    }
    guard rest.take(oneOf: weekdays) != nil else { return nil }
    // Sun, 06 Nov 1994 08:49:37 GMT
    if rest.take(", ") {
      guard let day = rest.takeNumber(digits: 2), rest.take(" "), let month = rest.take(oneOf: months), rest.take(" "),
        let year = rest.takeNumber(digits: 4), rest.take(" "), let time = rest.takeTime(), rest.take(" GMT"),
        rest.isEmpty
      else { return nil }
      return date(day: day, month: month, year: year, time: time)
    }
    // Sun Nov  6 08:49:37 1994
    guard rest.take(" "), let month = rest.take(oneOf: months), rest.take(" "),
      let day = rest.takeNumber(digits: rest.take(" ") ? 1 : 2), rest.take(" "), let time = rest.takeTime(),
      rest.take(" "), let year = rest.takeNumber(digits: 4), rest.isEmpty
    else { return nil }
    return date(day: day, month: month, year: year, time: time)
  }

  /// The date in the first format, which is the one to write.
  package static func text(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let second = seconds - days * 86_400
    let (year, month, day) = civil(fromDays: days)
    let weekday = weekdays[Self.weekday(ofDays: days)]
    let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(day)) \(months[month - 1]) \(year) \(time) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The part of a date that is not parsed yet.
  private struct Rest {
    private var bytes: ArraySlice<UInt8>

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func take(_ text: String) -> Bool {
      let wanted = text.utf8
      guard bytes.count >= wanted.count, zip(bytes, wanted).allSatisfy({ $0 == $1 || Self.isLetter($0, orIts: $1) })
      else { return false }
      bytes.removeFirst(wanted.count)
      return true
    }

    mutating func take(oneOf names: [String]) -> Int? { names.firstIndex { take($0) } }

    mutating func takeNumber(digits: Int) -> Int? {
      let number = bytes.prefix(digits)
      guard number.count == digits, number.allSatisfy({ (48...57).contains($0) }) else { return nil }
      bytes.removeFirst(digits)
      return number.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    /// Parses a time of day into seconds since midnight.
    mutating func takeTime() -> Int? {
      guard let hour = takeNumber(digits: 2), hour < 24, take(":"), let minute = takeNumber(digits: 2), minute < 60,
        take(":"), let second = takeNumber(digits: 2), second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private static func isLetter(_ byte: UInt8, orIts other: UInt8) -> Bool {
      (byte ^ other) == 32 && (97...122).contains(byte | 32)
    }
  }

  /// The date; nil when the day does not exist.
  private static func date(day: Int, month: Int, year: Int, time: Int) -> Date? {
    guard (1...31).contains(day), (1...9999).contains(year) else { return nil }
    let days = days(year: year, month: month + 1, day: day)
    // A day such as 30 February becomes another day when it is converted to days and back.
    guard civil(fromDays: days).day == day else { return nil }
    return Date(timeIntervalSince1970: Double(days * 86_400 + time))
  }

  /// Expands a year of two digits to the latest matching year that is at most fifty years ahead.
  private static func fullYear(of short: Int, _ now: Date) -> Int {
    let today = Int(exactly: (now.timeIntervalSince1970 / 86_400).rounded(.down)) ?? 0
    let current = civil(fromDays: today).year
    let guess = current - current % 100 + short
    return guess > current + 50 ? guess - 100 : guess
  }

  private static func weekday(ofDays days: Int) -> Int { ((days + 4) % 7 + 7) % 7 }

  /// Days since 1970 in the Gregorian calendar.
  ///
  /// The computation uses years that begin in March, so that leap days come last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
