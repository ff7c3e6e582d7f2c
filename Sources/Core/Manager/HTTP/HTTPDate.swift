import FoundationEssentials

/// The three spellings of a date in HTTP, of which only the first is still written.
enum HTTPDate {
  static func parse(_ text: String, now: Date = Date()) -> Date? {
    let words = text.split { $0 == " " || $0 == "," }.map(String.init)
    if words.count == 4, words[1].contains("-") {
      // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].split(separator: "-").map(String.init)
      guard parts.count == 3, let short = Int(parts[2]), parts[2].utf8.count == 2 else { return nil }
      return date(day: parts[0], month: parts[1], year: fullYear(of: short, now), time: words[2])
    }
    if words.count == 6, let year = Int(words[3]) {
      // Sun, 06 Nov 1994 08:49:37 GMT
      return date(day: words[1], month: words[2], year: year, time: words[4])
    }
    if words.count == 5, let year = Int(words[4]) {
      // Sun Nov  6 08:49:37 1994
      return date(day: words[2], month: words[1], year: year, time: words[3])
    }
    return nil
  }

  static func text(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down))
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let second = seconds - days * 86_400
    let (year, month, day) = civil(fromDays: days)
    let weekday = weekdays[((days + 4) % 7 + 7) % 7]
    let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(day)) \(months[month - 1]) \(year) \(time) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func date(day: String, month: String, year: Int, time: String) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard let day = Int(day), (1...31).contains(day), let month = months.firstIndex(of: month),
      (1...9999).contains(year), clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    let days = days(year: year, month: month + 1, day: day)
    // The thirtieth of February is no day.
    guard civil(fromDays: days).day == day else { return nil }
    return Date(timeIntervalSince1970: Double(days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]))
  }

  /// Two digits mean the year of that ending that is at most fifty years ahead.
  private static func fullYear(of short: Int, _ now: Date) -> Int {
    let current = civil(fromDays: Int(now.timeIntervalSince1970 / 86_400)).year
    let guess = current - current % 100 + short
    return guess > current + 50 ? guess - 100 : guess
  }

  /// Days since 1970 in the Gregorian calendar, counted in years that start in March so that leap days come last.
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
