import Easel

extension Conversion.Product {
  func json(_ input: String, _ output: String, _ time: Duration) -> JSON {
    let json: JSON = [
      "input": .string(Input.name(input)), "output": .string(output),
      "format": .string(FormatNames.program.name(of: format)),
      "width": .integer(size.width), "height": .integer(size.height), "frames": .integer(frames),
      "bytes": .integer(bytes.count), "ms": .milliseconds(time),
    ]
    guard let found else { return json }
    return json.adding([
      "quality": .integer(found.percent), "ssimulacra2": .number((found.score * 100).rounded() / 100),
      "attempts": .integer(found.attempts),
    ])
  }

  func text(_ output: String) -> String {
    let moving = frames > 1 ? ", \(frames) frames" : ""
    let looks = found.map { ", score \(Quantity.decimals($0.score, 1)) at quality \($0.percent)" } ?? ""
    return "\(printable(output)): \(FormatNames.program.name(of: format)) \(size)\(moving), "
      + "\(Quantity.bytes(bytes.count))\(looks)"
  }
}
