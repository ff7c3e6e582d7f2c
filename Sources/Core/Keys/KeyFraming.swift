/// Encodes texts so that different lists of texts never give the same bytes.
enum KeyFraming {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = Array(text.utf8)
    append(utf8.count, to: &bytes)
    bytes += utf8
  }

  static func append(_ number: Int, to bytes: inout [UInt8]) {
    bytes += Array("\(number):".utf8)
  }
}
