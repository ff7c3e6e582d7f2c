import CEaselCurl
import EaselCore

/// Header fields as a list for curl.
final class HeaderList {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?

  init(_ headers: HTTPHeaders, extra: [String] = []) {
    // For each request, curl compares the beginning of each entry a dozen times, to find out which fields it must not
    // add itself. Accept and the fields that curl never adds therefore share one entry of several lines.
    var joined = headers["Accept"].flatMap { $0.isEmpty ? nil : "Accept: \($0)" } ?? ""
    for field in headers.fields {
      let name = field.name.lowercased()
      if field.value.isEmpty {
        // With a colon, curl would remove its own field of that name, and not send an empty one.
        add("\(field.name);")
      } else if Self.neverAddedByCurl.contains(name) {
        joined += (joined.isEmpty ? "" : "\r\n") + "\(field.name): \(field.value)"
      } else if name != "accept" {
        add("\(field.name): \(field.value)")
      }
    }
    if !joined.isEmpty { add(joined) }
    for line in extra { add(line) }
  }

  init(lines: [String]) {
    for line in lines { add(line) }
  }

  deinit { curl_slist_free_all(pointer) }

  private static let neverAddedByCurl: Set = ["user-agent", "accept-encoding", "accept-language"]

  private func add(_ line: String) {
    if let longer = curl_slist_append(pointer, line) { pointer = longer }
  }
}
