import CEaselCurl
import EaselCore

/// Header fields as curl wants them.
final class HeaderList {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?

  init(_ headers: HTTPHeaders, extra: [String] = []) {
    for field in headers.fields {
      // A field without a value is spelled so that curl does not take it for the removal of one of its own.
      add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    for line in extra { add(line) }
  }

  init(lines: [String]) {
    for line in lines { add(line) }
  }

  deinit { curl_slist_free_all(pointer) }

  private func add(_ line: String) {
    if let longer = curl_slist_append(pointer, line) { pointer = longer }
  }
}
