"""Tables of words for the names of regions: which categories of COCO a noun may mean, and what a noun implies.

A name of a category that is not here, such as `triangle`, is known by its own word.
"""

from collections.abc import Mapping
from functools import cache

from parsers.words.lexicon import words

SYNONYMS: Mapping[str, str] = {
    "person": "human somebody someone bowler skateboarder spectator shopper swimmer personnel folk grandparent hipster"
    " model tennis_player baseball_player soccer_player football_player servant host hostess barber nurse scientist"
    " astronaut",
    "bicycle": "bike cycle tricycle two-wheeler bmx pushbike",
    "car": "automobile taxi cab sedan hatchback suv minivan jeep convertible limousine hearse coupe",
    "motorcycle": "motorbike motor_bike motor_cycle scooter moped vespa harley dirt_bike",
    "airplane": "plane aeroplane aircraft jet airliner jetliner biplane jumbo_jet",
    "bus": "coach minibus double-decker school_bus",
    "train": "locomotive tram trolley streetcar railcar engine subway",
    "truck": "lorry pickup pick-up pickup_truck semi fire_truck firetruck fire_engine tow_truck trailer tractor",
    "boat": "ship sailboat canoe kayak yacht ferry rowboat vessel gondola dinghy raft barge"
    " speedboat motorboat tugboat",
    "traffic light": "stoplight stop_light traffic_signal signal traffic_lights streetlight signal_light",
    "fire hydrant": "hydrant fireplug",
    "stop sign": "stopsign",
    "parking meter": "meter",
    "bench": "pew park_bench",
    "bird": "duck goose chicken rooster pigeon seagull parrot swan owl eagle penguin ostrich emu vulture hawk"
    " falcon crow raven robin sparrow hummingbird peacock hen chick duckling gosling heron egret pelican gull parakeet"
    " cockatoo cockatiel dove finch canary turkey stork crane flamingo",
    "cat": "kitten kitty tabby feline",
    "dog": "puppy pup poodle terrier bulldog retriever labrador husky collie hound pug chihuahua dalmatian canine doggy"
    " beagle dachshund spaniel corgi mutt",
    "horse": "pony foal colt stallion mare donkey mule",
    "sheep": "lamb ram ewe goat",
    "cow": "calf bull ox cattle steer bison buffalo heifer oxen",
    "elephant": "",
    "bear": "cub grizzly panda polar_bear",
    "zebra": "",
    "giraffe": "",
    "backpack": "rucksack knapsack bookbag book_bag",
    "umbrella": "parasol sunshade",
    "handbag": "purse tote shoulder_bag satchel shopping_bag clutch",
    "tie": "necktie bowtie bow_tie",
    "suitcase": "luggage trunk briefcase travel_bag",
    "frisbee": "disc disk flying_disc",
    "skis": "ski",
    "snowboard": "",
    "sports ball": "ball football basketball baseball volleyball tennis_ball soccer_ball",
    "kite": "",
    "baseball bat": "bat",
    "baseball glove": "glove mitt catcher's_mitt baseball_mitt",
    "skateboard": "skate_board longboard",
    "surfboard": "surf_board boogie_board paddleboard bodyboard",
    "tennis racket": "racket racquet tennis_racquet",
    "bottle": "carafe flask jug decanter thermos beer_bottle wine_bottle water_bottle ketchup shampoo",
    "wine glass": "wineglass goblet champagne_glass glass",
    "cup": "mug glass teacup tumbler coffee_cup coffee_mug coffee tea pint",
    "fork": "",
    "knife": "butcher_knife cleaver cutter blade dagger",
    "spoon": "ladle",
    "bowl": "basin",
    "banana": "plantain",
    "apple": "",
    "sandwich": "burger hamburger sub hoagie panini wrap burrito bagel toast",
    "orange": "tangerine mandarin clementine",
    "broccoli": "floret",
    "carrot": "",
    "hot dog": "hotdog sausage",
    "pizza": "pizza_slice",
    "donut": "doughnut pastry",
    "cake": "cupcake pie dessert cheesecake",
    "chair": "stool armchair seat recliner bar_stool highchair high_chair rocking_chair deck_chair lawn_chair",
    "couch": "sofa loveseat settee divan futon sectional",
    "potted plant": "plant houseplant house_plant flowerpot pot flower_pot potted_tree planter",
    "bed": "mattress bunk crib cot bunk_bed bedspread",
    "dining table": "table desk countertop tabletop counter coffee_table picnic_table",
    "toilet": "urinal commode bidet",
    "tv": "television monitor screen computer_monitor computer_screen tv_screen display flatscreen",
    "laptop": "notebook_computer macbook notebook laptop_computer",
    "mouse": "computer_mouse mice",
    "remote": "remote_control controller wii_remote wiimote",
    "keyboard": "",
    "cell phone": "phone cellphone smartphone mobile_phone mobile iphone telephone",
    "microwave": "microwave_oven",
    "oven": "stove range cooker stovetop",
    "toaster": "",
    "sink": "washbasin basin",
    "refrigerator": "fridge freezer icebox",
    "book": "novel magazine textbook paperback notebook",
    "clock": "clock_face clock_tower watch timepiece",
    "vase": "pot jar urn",
    "scissors": "scissor shears",
    "teddy bear": "teddy stuffed_animal plush stuffed_bear toy_bear plushie toy",
    "hair drier": "hair_dryer blow_dryer hairdryer dryer",
    "toothbrush": "",
}
"""Other words for each category of COCO. The parser's list of people is added to those of `person`."""

SIMILAR: Mapping[str, str] = {
    "person": "statue mannequin doll",
    "car": "vehicle van truck pickup suv",
    "truck": "vehicle van car bus rv camper",
    "bus": "vehicle van truck train",
    "train": "vehicle bus car carriage wagon",
    "motorcycle": "vehicle bike cycle",
    "bicycle": "vehicle cycle",
    "airplane": "vehicle glider",
    "boat": "vehicle",
    "bird": "animal creature",
    "cat": "animal pet creature",
    "dog": "animal pet creature",
    "horse": "animal creature",
    "sheep": "animal creature",
    "cow": "animal creature",
    "elephant": "animal creature",
    "bear": "animal creature toy",
    "zebra": "animal horse creature",
    "giraffe": "animal creature",
    "backpack": "bag pack luggage suitcase",
    "handbag": "bag pouch sack backpack basket",
    "suitcase": "bag box case",
    "umbrella": "tent canopy",
    "skis": "board",
    "snowboard": "board",
    "skateboard": "board",
    "surfboard": "board",
    "kite": "balloon parachute",
    "tennis racket": "paddle",
    "bottle": "beer wine water drink container beverage soda juice vase cup jar can",
    "wine glass": "wine cup drink beverage beer champagne",
    "cup": "beer drink water beverage container wine juice soda milk bottle can jar wine_glass",
    "fork": "utensil cutlery silverware",
    "knife": "utensil cutlery silverware tool",
    "spoon": "utensil cutlery silverware",
    "bowl": "plate dish container platter tray plate soup salad food pot cup",
    "banana": "fruit food",
    "apple": "fruit food",
    "orange": "fruit food lemon",
    "sandwich": "food bread meal bun hot_dog plate meat",
    "broccoli": "vegetable food greens",
    "carrot": "vegetable food",
    "hot dog": "food bun sandwich",
    "pizza": "food meal slice plate",
    "donut": "food bagel",
    "cake": "food bread slice piece",
    "chair": "furniture couch sofa bench",
    "couch": "furniture chair bench seat bed armchair loveseat",
    "bench": "furniture chair seat",
    "bed": "furniture couch",
    "dining table": "furniture",
    "potted plant": "flowers bouquet tree bush vase flower vegetation",
    "vase": "bottle bowl plant flower_pot",
    "tv": "computer monitor laptop",
    "laptop": "computer",
    "cell phone": "device camera remote",
    "remote": "device phone",
    "keyboard": "device",
    "microwave": "appliance oven",
    "oven": "appliance microwave",
    "refrigerator": "appliance cooler cabinet",
    "toaster": "appliance",
    "book": "paper binder",
    "clock": "face",
    "teddy bear": "bear doll animal",
    "stop sign": "sign",
    "sports ball": "toy",
    "traffic light": "light lamp",
}
"""Words that may mean the category, but often mean something else: more general words, and things alike."""

ROLES: Mapping[str, tuple[str, ...]] = {
    "rider": ("horse", "bicycle", "motorcycle", "elephant", "skateboard"),
    "jockey": ("horse",),
    "cowboy": ("horse",),
    "cyclist": ("bicycle",),
    "bicyclist": ("bicycle",),
    "biker": ("motorcycle", "bicycle"),
    "motorcyclist": ("motorcycle",),
    "driver": ("car", "truck", "bus", "motorcycle"),
    "skateboarder": ("skateboard",),
    "skater": ("skateboard",),
    "surfer": ("surfboard",),
    "skier": ("skis",),
    "snowboarder": ("snowboard",),
    "batter": ("baseball bat",),
    "hitter": ("baseball bat",),
    "catcher": ("baseball glove",),
    "pitcher": ("sports ball", "baseball glove"),
    "fielder": ("baseball glove",),
    "businessman": ("tie",),
    "groom": ("tie",),
    "traveler": ("suitcase", "backpack"),
    "tourist": ("suitcase", "backpack", "handbag"),
    "hiker": ("backpack",),
}
"""Categories that a person of this name often touches."""

YOUNG = frozenset({
    "child", "kid", "baby", "toddler", "infant", "boy", "youngster", "calf", "foal", "colt", "puppy", "pup",
    "kitten", "kitty", "lamb", "cub", "duckling", "gosling", "chick", "fawn",
})  # fmt: skip
"""Nouns of things that are smaller than others of their category."""

PERSON_PARTS = frozenset({
    "pigtail", "bun", "curls", "dreadlocks", "afro", "tattoo", "arms", "hands", "legs", "hips", "hip", "skin",
    "eyes", "lens", "stripe", "bathing suit", "life jacket", "lipstick", "makeup", "t-shirt", "tshirt", "polo",
    "jersey", "sunglasses", "earphones", "headphones", "lanyard", "badge",
})  # fmt: skip
"""Clothes and parts of people that the parser's lists do not have."""

OWNERS_OF_PARTS = frozenset(
    {"person", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "teddy bear"}
)
"""Categories that have the body parts of the parser's list."""

PLACEHOLDERS = frozenset({"one", "ones", "other", "others", "another", "this", "that", "it", "itself"})
"""Heads that repeat the noun of another mention."""

ANYTHING = frozenset({"thing", "object", "item", "something", "anything"})
VIEWERS = frozenset(
    {"camera", "viewer", "us", "me", "you", "photographer", "observer", "lens", "picture", "photo", "image"}
)
"""Heads that mean where the picture was taken from."""

IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "knives": "knife", "geese": "goose",
    "mice": "mouse", "teeth": "tooth", "feet": "foot", "calves": "calf", "shelves": "shelf", "loaves": "loaf",
    "ladies": "lady", "buses": "bus", "glasses": "glass", "benches": "bench", "sandwiches": "sandwich",
    "couches": "couch", "watches": "watch", "toothbrushes": "toothbrush", "scarves": "scarf",
}  # fmt: skip


@cache
def categories_of() -> dict[str, dict[str, float]]:
    """Return for each noun the categories that it may mean, with a degree from 0 to 1."""
    found: dict[str, dict[str, float]] = {}
    for degree, table in ((0.6, SIMILAR), (1.0, SYNONYMS)):
        for category, text in table.items():
            for word in text.split():
                found.setdefault(word.replace("_", " "), {})[category] = degree
    for word in words("people"):
        found.setdefault(word, {})["person"] = 1.0
    return found


@cache
def head_of() -> dict[str, str]:
    """Return for the last word of each category of several words that category: "table" for "dining table"."""
    return {category.split()[-1]: category for category in SYNONYMS if " " in category}


def singulars(noun: str) -> tuple[str, ...]:
    """Return the noun, and what it may be the plural of, the likeliest first."""
    *before, last = noun.split(" ")
    forms = [last]
    if last in IRREGULAR:
        forms.append(IRREGULAR[last])
    for ending, start in (("ies", "y"), ("es", ""), ("s", "")):
        if last.endswith(ending) and len(last) > len(ending) + 2:
            forms.append(last[: -len(ending)] + start)
    return tuple(" ".join([*before, form]) for form in forms)
