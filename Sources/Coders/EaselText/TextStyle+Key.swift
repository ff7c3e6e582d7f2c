import EaselCore
import EaselTransformers

extension TextStyle {
  /// `{family,size,weight,italic},#aarrggbb,{alignment,direction,spacing}`, and then the outline and the shadow.
  var keyText: String {
    var parts = [
      "{\(KeyText.name(family)),\(KeyText.number(size)),\(weight),\(isItalic ? 1 : 0)}", KeyNumber.text(color),
      "{\(alignment.rawValue),\(direction.rawValue),\(KeyText.number(lineSpacing))}",
    ]
    if let outline { parts.append("outline{\(KeyText.number(outline.width)),\(KeyNumber.text(outline.color))}") }
    if let shadow {
      parts.append(
        "shadow{\(shadow.x),\(shadow.y),\(KeyText.number(shadow.blur)),\(KeyNumber.text(shadow.color))}")
    }
    return parts.joined(separator: ",")
  }
}
