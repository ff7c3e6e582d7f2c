import CEaselCurl
import EaselCore

/// Header fields as curl wants them.
final class HeaderList {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?

  init(_ headers: HTTPHeaders, extra: [String] = []) {
    // curl goes through the list a dozen times for each request, to see what it must not add itself, by the beginning
    // of each entry. So the field Accept, and whatever curl adds in no case, are one entry of several lines.
    var joined = headers["Accept"].flatMap { $0.isEmpty ? nil : "Accept: \($0)" } ?? ""
    for field in headers.fields {
      let name = field.name.lowercased()
      if field.value.isEmpty {
        // Spelled so that curl does not take it for the removal of a field of its own.
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
