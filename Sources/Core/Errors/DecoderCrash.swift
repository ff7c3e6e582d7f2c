/// The reason of an error: a decoder in a sandbox crashed, or broke its rules.
package struct DecoderCrash: Error, Hashable {
  /// The identifier of the coder.
  package let coder: String

  package init(of coder: String) { self.coder = coder }

  /// The part of the MIME type after `image/`, for the coders of the house.
  package var typeName: String {
    switch coder {
    case "heif": "heic"
    case "svg": "svg+xml"
    case "ico": "vnd.microsoft.icon"
    case "pnm": "x-portable-anymap"
    default: coder
    }
  }
}
