import FoundationEssentials
import Glibc

/// Dates in HTTP's form.
enum WebDate {
  private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func text(_ date: Date) -> String {
    let parts = broken(date)
    let day = days[Int(parts.tm_wday)].prefix(3)
    return "\(day), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + Int(parts.tm_year)) \(time(parts)) GMT"
  }

  /// The obsolete form, with two digits for the year.
  static func oldText(_ date: Date) -> String {
    let parts = broken(date)
    let month = months[Int(parts.tm_mon)]
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday))-\(month)-\(two(parts.tm_year % 100)) \(time(parts)) GMT"
  }

  private static func broken(_ date: Date) -> tm {
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return parts
  }

  private static func time(_ parts: tm) -> String {
    "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  private static func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
