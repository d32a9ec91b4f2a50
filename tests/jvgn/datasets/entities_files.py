"""Files in the published layout of Flickr30k Entities."""


def annotation_xml(width, height, objects):
    """The annotation of an image; each object has the names of its entities, and a box or None for a scene."""
    parts = "".join(object_xml(names, box) for names, box in objects)
    size = f"\t\t<width>{width}</width>\n\t\t<height>{height}</height>\n\t\t<depth>3</depth>\n"
    return f"<annotation>\n\t<filename>1.jpg</filename>\n\t<size>\n{size}\t</size>\n{parts}</annotation>"


def object_xml(names, box):
    named = "".join(f"\t\t<name>{name}</name>\n" for name in names)
    if box is None:
        place = "\t\t<scene>1</scene>\n\t\t<nobndbox>0</nobndbox>\n"
    else:
        sides = zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
        place = "".join(f"\t\t\t<{side}>{value}</{side}>\n" for side, value in sides)
        place = f"\t\t<bndbox>\n{place}\t\t</bndbox>\n"
    return f"\t<object>\n{named}{place}\t</object>\n"
