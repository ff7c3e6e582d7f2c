import EaselCore
import EaselPixels

extension KeyReader {
  /// Deeper layers within the pipelines of layers could use up the stack.
  private static let mostDepth = 8

  /// Reads `{name,gravity,opacity,mode,pipeline},...`; without any, nothing is drawn.
  mutating func layers(_ overlays: [String: Bitmap]) throws(ImageError) -> any Transformer {
    var layers: [TransformerPipeline.Layer] = []
    guard isAtBrace else { return Layers([]) }
    depth += 1
    guard depth <= Self.mostDepth else { throw expected("layers that are at most \(Self.mostDepth) deep") }
    repeat {
      try expect("{")
      layers.append(try layer(overlays))
      try expect("}")
    } while skip(",")
    depth -= 1
    return Layers(layers)
  }

  private mutating func layer(_ overlays: [String: Bitmap]) throws(ImageError) -> TransformerPipeline.Layer {
    var source = TransformerPipeline.Layer.Source.below(nil)
    if skip("-") {
      try expect(",")
    } else {
      let (name, picture) = try picture(overlays)
      source = .picture(LayerPicture(picture, name: name))
    }
    let gravity = try gravity()
    try expect(",")
    let opacity = try number()
    try expect(",")
    let mode = try choice(Bitmap.BlendMode.self, "a blend mode")
    var steps: [any Transformer] = []
    if skip(",") {
      repeat { steps.append(try transformer(overlays: overlays)) } while skip("-")
    }
    return TransformerPipeline.Layer(source, TransformerPipeline(steps), gravity, opacity, mode)
  }
}
