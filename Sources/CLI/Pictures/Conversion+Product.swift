import Easel

extension Conversion.Product {
  func json(_ input: String, _ output: String, _ time: Duration) -> JSON {
    [
      "input": .string(Input.name(input)), "output": .string(output),
      "format": .string(FormatNames.program.name(of: format)),
      "width": .integer(size.width), "height": .integer(size.height), "frames": .integer(frames),
      "bytes": .integer(bytes.count), "ms": .milliseconds(time),
    ]
  }

  func text(_ output: String) -> String {
    let moving = frames > 1 ? ", \(frames) frames" : ""
    return
      "\(printable(output)): \(FormatNames.program.name(of: format)) \(size)\(moving), \(Quantity.bytes(bytes.count))"
  }
}
